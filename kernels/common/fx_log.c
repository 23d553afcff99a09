/*
 * value = m 2^e with m from 1 to 2. Six bits of m index a nearby c = 1 / r in a table; ln m is
 * -ln r, from another table, plus ln(1 + t), t = m r - 1, at most 2^-7, by t - t^2 / 2 + t^3 / 3.
 */
#include "fx_divide.h"
#include "fx_log.h"

#define LN_2_Q32 2977044472u
#define THIRD_Q32 1431655765

/* 2^32 / (1 + (i + 1/2) / 64), and minus the logarithm of that over 2^32, Q32; to nearest. */
static const uint32_t reciprocals[64] = {
    0xfe03f810u, 0xfa232cf2u, 0xf6603d98u, 0xf2b9d648u, 0xef2eb720u, 0xebbdb2a6u,
    0xe865ac7bu, 0xe525982bu, 0xe1fc780eu, 0xdee95c4du, 0xdbeb61efu, 0xd901b203u,
    0xd62b80d6u, 0xd3680d37u, 0xd0b69fccu, 0xce168a77u, 0xcb8727c0u, 0xc907da4fu,
    0xc6980c6au, 0xc4372f85u, 0xc1e4bbd6u, 0xbfa02fe8u, 0xbd691047u, 0xbb3ee722u,
    0xb92143fau, 0xb70fbb5au, 0xb509e68bu, 0xb30f6353u, 0xb11fd3b8u, 0xaf3addc7u,
    0xad602b58u, 0xab8f69e3u, 0xa9c84a48u, 0xa80a80a8u, 0xa655c439u, 0xa4a9cf1eu,
    0xa3065e40u, 0xa16b312fu, 0x9fd809feu, 0x9e4cad24u, 0x9cc8e161u, 0x9b4c6f9fu,
    0x99d722dbu, 0x9868c80au, 0x97012e02u, 0x95a02568u, 0x94458094u, 0x92f11384u,
    0x91a2b3c5u, 0x905a3863u, 0x8f1779dau, 0x8dda5202u, 0x8ca29c04u, 0x8b70344au,
    0x8a42f870u, 0x891ac73bu, 0x87f78088u, 0x86d90544u, 0x85bf3761u, 0x84a9f9c8u,
    0x83993052u, 0x828cbfbfu, 0x81848da9u, 0x80808081u,
};
static const uint32_t logarithms[64] = {
    0x01fe02a7u, 0x05ee46c2u, 0x09cf43ddu, 0x0da16eb9u, 0x116536eeu, 0x151b073fu,
    0x18c345d7u, 0x1c5e548fu, 0x1fec9132u, 0x236e55aau, 0x26e3f840u, 0x2a4dcbc8u,
    0x2dac1fceu, 0x30ff40cau, 0x34477840u, 0x37850ce9u, 0x3ab842d7u, 0x3de15b97u,
    0x41009652u, 0x44162fe7u, 0x47226305u, 0x4a256850u, 0x4d1f766au, 0x5010c21au,
    0x52f97e56u, 0x55d9dc5du, 0x58b20bcau, 0x5b823aa8u, 0x5e4a9580u, 0x610b4768u,
    0x63c47a1du, 0x66765604u, 0x69210243u, 0x6bc4a4c9u, 0x6e61625bu, 0x70f75e9fu,
    0x7386bc2eu, 0x760f9c96u, 0x78922069u, 0x7b0e6749u, 0x7d848fe9u, 0x7ff4b821u,
    0x825efcedu, 0x84c37a7au, 0x87224c2fu, 0x897b8cadu, 0x8bcf55dfu, 0x8e1dc0fcu,
    0x9066e68cu, 0x92aade75u, 0x94e9bff6u, 0x9723a1b8u, 0x995899c9u, 0x9b88bdaau,
    0x9db42251u, 0x9fdadc26u, 0xa1fcff18u, 0xa41a9e90u, 0xa633cd7fu, 0xa8489e60u,
    0xaa59233du, 0xac656daeu, 0xae6d8ee3u, 0xb07197a1u,
};

static inline int32_t high(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b) >> 32);
}

fx_t fx_log_of(uint32_t value)
{
    const uint32_t zeros = fx_leading_zeros(value);
    const uint32_t m = value << zeros; /* Q31 */
    const int32_t exponent = 31 - (int32_t)zeros - FX_FRACTION_BITS;
    const uint32_t index = m >> 25 & 63u;
    const uint64_t product = (uint64_t)m * reciprocals[index]; /* Q63, near 2^63 */
    const int32_t t = (int32_t)(uint32_t)((product - ((uint64_t)1 << 63)) >> 25); /* Q38 */
    const int32_t square = high(t, t);                          /* Q44 */
    const int32_t third = high(high(square, t), THIRD_Q32);     /* of the cube, Q50 */
    const int32_t small = (t >> 2) - (square >> 9) + (third >> 14); /* Q36 */
    const int64_t sum = ((int64_t)exponent * (int64_t)(uint64_t)LN_2_Q32) +
                        (int64_t)(uint64_t)logarithms[index] + (small >> 4); /* Q32 */
    return (fx_t)((sum + ((int64_t)1 << (31 - FX_FRACTION_BITS))) >> (32 - FX_FRACTION_BITS));
}
