/*
 * Sums of products in 64 bits, rounded once, at their end. On a core that has only mul and mulh
 * this is also faster than rounding each product: the sum takes four instructions per product,
 * the rounding towards zero nine.
 */
#ifndef FX_WIDE_H
#define FX_WIDE_H

#include "fx.h"

/* sum + a * b, modulo 2^64. */
static inline uint64_t fx_wide_add(uint64_t sum, fx_t a, fx_t b)
{
    return sum + (uint64_t)((int64_t)a * (int64_t)b);
}

/* sum + the products of `count` pairs, modulo 2^64. */
static inline uint64_t fx_wide_dot(uint64_t sum, const fx_t *a, const fx_t *b, uint32_t count)
{
    const fx_t *const end = a + count;
    for (; end - a >= 4; a += 4, b += 4) {
        sum = fx_wide_add(sum, a[0], b[0]);
        sum = fx_wide_add(sum, a[1], b[1]);
        sum = fx_wide_add(sum, a[2], b[2]);
        sum = fx_wide_add(sum, a[3], b[3]);
    }
    for (; a != end; ++a, ++b) {
        sum = fx_wide_add(sum, *a, *b);
    }
    return sum;
}

/* A number as a sum of products. */
static inline uint64_t fx_wide(fx_t value)
{
    return (uint64_t)(int64_t)value << FX_FRACTION_BITS;
}

/* A sum of products as a number, rounded down: the low 32 bits of the quotient. */
static inline fx_t fx_wide_floor_wrap(uint64_t sum)
{
    return (fx_t)(uint32_t)((uint64_t)((int64_t)sum >> FX_FRACTION_BITS));
}

/*
 * Overflow record. `lost` is not 0 after a sum that leaves the range. `seen` holds the
 * bits of all noted magnitudes: if one factor of each product is below the limit, `count`
 * products of it and any numbers cannot leave 64 bits. Both accumulate by OR and are tested once, since
 * a branch for each number would cost more.
 */
struct fx_range {
    uint32_t lost;
    uint32_t seen;
};

/* Notes the magnitude of a number. */
static inline void fx_range_see(struct fx_range *range, fx_t value)
{
    range->seen |= (uint32_t)(value ^ (value >> 31));
}

/* As fx_wide_floor_wrap; records an overflow in `range`. */
static inline fx_t fx_wide_floor(uint64_t sum, struct fx_range *range)
{
    const int64_t wide = (int64_t)sum >> FX_FRACTION_BITS;
    const fx_t value = (fx_t)(uint32_t)(uint64_t)wide;
    range->lost |= (uint32_t)((uint64_t)wide >> 32) ^ (uint32_t)(value >> 31);
    return value;
}

/* Magnitudes below this: `count` products with any numbers, and one number, fit 64 bits. */
static inline uint32_t fx_range_limit(uint32_t count)
{
    uint32_t bits = 31;
    while (count > 1u) {
        count = (count + 1u) / 2u;
        --bits;
    }
    return 1u << bits;
}

/* Whether sums of `count` products each, of the noted numbers, were exact. */
static inline enum fx_status fx_range_status(const struct fx_range *range, uint32_t count)
{
    return range->lost != 0 || range->seen >= fx_range_limit(count) ? FX_OVERFLOW : FX_OK;
}

#endif
