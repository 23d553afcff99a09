/*
 * 2^-t for t = size / ln 2: the whole part of t shifts, six bits of its fraction index a
 * table, and the rest r ln 2, below 0.011, goes through 1 - r + r^2 / 2 - r^3 / 6, with an error
 * below 2^-30.
 */
#include "fx_exp.h"

#define LOG2_E_Q31 3098164009u
#define LN_2_Q32 2977044472u
#define SIXTH_Q32 715827883u

/* 2^-(i / 64), Q31, rounded to nearest. */
static const uint32_t powers[64] = {
    0x80000000u, 0x7e9f0606u, 0x7d41d96eu, 0x7be86fbau, 0x7a92be8bu, 0x7940bb9eu, 0x77f25cceu, 0x76a7980fu,
    0x75606374u, 0x741cb528u, 0x72dc8374u, 0x719fc4b9u, 0x70666f76u, 0x6f307a41u, 0x6dfddbccu, 0x6cce8ae1u,
    0x6ba27e65u, 0x6a79ad56u, 0x69540ec9u, 0x683199edu, 0x6712460bu, 0x65f60a7fu, 0x64dcdec3u, 0x63c6ba64u,
    0x62b39509u, 0x61a3666du, 0x60962665u, 0x5f8bccdbu, 0x5e8451d0u, 0x5d7fad59u, 0x5c7dd7a4u, 0x5b7ec8f2u,
    0x5a82799au, 0x5988e209u, 0x5891fac1u, 0x579dbc57u, 0x56ac1f75u, 0x55bd1cdbu, 0x54d0ad5au, 0x53e6c9dau,
    0x52ff6b55u, 0x521a8ad7u, 0x51382182u, 0x50582888u, 0x4f7a9930u, 0x4e9f6cd4u, 0x4dc69cddu, 0x4cf022cau,
    0x4c1bf829u, 0x4b4a169cu, 0x4a7a77d4u, 0x49ad1598u, 0x48e1e9bau, 0x4818ee22u, 0x47521cc6u, 0x468d6faeu,
    0x45cae0f2u, 0x450a6abbu, 0x444c0740u, 0x438fb0cbu, 0x42d561b4u, 0x421d1462u, 0x4166c34cu, 0x40b268fau,
};

static inline uint32_t high(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

fx_t fx_exp_of_minus(uint32_t size)
{
    const uint64_t t = ((uint64_t)size * LOG2_E_Q31) >> (FX_FRACTION_BITS - 1); /* Q32 */
    const uint32_t right = 31u - FX_FRACTION_BITS + (uint32_t)(t >> 32);
    if (right > 31u) {
        return 0;
    }
    const uint32_t fraction = (uint32_t)t;
    const uint32_t r = high(fraction << 6, LN_2_Q32); /* Q38 */
    const uint32_t square = high(r, r);               /* Q44 */
    const uint32_t sixth = high(high(square, r), SIXTH_Q32); /* of the cube, Q50 */
    const uint32_t less = (r >> 6) - (square >> 13) + (sixth >> 18); /* Q32 */
    const uint32_t power = powers[fraction >> 26];
    const uint32_t value = power - high(power, less); /* Q31 */
    return (fx_t)((value + (1u << right >> 1)) >> right);
}
