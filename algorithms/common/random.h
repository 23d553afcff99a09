/*
 * Random numbers: a counter with odd steps, its bits mixed (Wellons' lowbias32). All 2^32 states
 * are one cycle. A number below n takes a product and no division.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static inline uint32_t next_random(uint32_t *state)
{
    uint32_t x = *state += 0x9e3779b9u;
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Uniform in 0 .. n - 1, each with n / 2^32 of the numbers, one more or less. */
static inline uint32_t random_below(uint32_t *state, uint32_t n)
{
    return (uint32_t)(((uint64_t)next_random(state) * n) >> 32);
}

#endif
