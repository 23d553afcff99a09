/* Operands of the programs, and the check of their results. */
#ifndef DATA_H
#define DATA_H
#include "gnomon.h"
#include "units.h"

static uint32_t drawn = 1;

/* A pseudorandom word. */
static inline uint32_t draw(void)
{
    drawn = drawn * 1664525u + 1013904223u;
    const uint32_t high = drawn >> 16;
    drawn = drawn * 1664525u + 1013904223u;
    return high << 16 | drawn >> 16;
}

/* A pseudorandom number below 2^(bits - 1), of either sign. */
static inline int32_t draw_signed(int bits) { return (int32_t)draw() >> (32 - bits); }

static inline void print_check(const void *data, uint32_t words)
{
    uint32_t check = 0;
    for (uint32_t i = 0; i < words; i++) check = 31 * check + ((const uint32_t *)data)[i];
    gnomon_print(check);
}
#endif
