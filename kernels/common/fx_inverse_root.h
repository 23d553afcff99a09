/*
 * 1 / sqrt(number) in 16 bits without a division: a straight line, error at most 8.6 %, and three
 * steps of Newton's method, each of which squares the error and multiplies it by 1.5.
 */
#ifndef FX_INVERSE_ROOT_H
#define FX_INVERSE_ROOT_H

#include "fx_divide.h"

/* factor 2^-(16 + shift), factor from 2^15 - 1 to 2^16: rounded down, but for 2^-8 of a step by which it
 * may be too small before, or 2^-12 too large. */
struct fx_inverse_root {
    uint32_t factor, shift;
};

/* The upper word of a product. */
static inline uint32_t fx_high_word(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

/* Of value 2^-bits, from 1 up to 2^30; value is below 2^31 and has `zeros` leading zeros. */
static inline struct fx_inverse_root fx_inverse_root(uint32_t value, uint32_t zeros, uint32_t bits)
{
    const uint32_t up = zeros - ((zeros + bits) & 1u); /* an even power of two is taken out */
    const uint32_t part = value << up;                 /* 2^30 .. 2^32 - 1: from 1 to below 4 */
    /* 7/6 - part/6, times 0.914, in 31 bits */
    uint32_t root = 2290047081u - fx_high_word(part, 1308598332u);
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t near_one = fx_high_word(part, fx_high_word(root, root)); /* 28 bits */
        root = fx_high_word(root, (3u << 28) - near_one) << 3;
    }
    return (struct fx_inverse_root){root >> 15, (30u - up - bits) / 2u};
}

#endif
