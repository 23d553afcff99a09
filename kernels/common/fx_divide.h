/*
 * Division by integer instructions of 32 bits, so results are independent of compiler libraries.
 * A division costs 36 cycles on the T13 for all operands, a multiplication 3 to 5 cycles.
 */
#ifndef FX_DIVIDE_H
#define FX_DIVIDE_H

#include "fx.h"
#include "fx_wide.h"

/* Left shift that moves the top bit of a nonzero number to bit 31. */
static inline uint32_t fx_leading_zeros(uint32_t value)
{
    uint32_t zeros = 0;
    if ((value >> 16) == 0) {
        zeros = 16;
        value <<= 16;
    }
    if ((value >> 24) == 0) {
        zeros += 8;
        value <<= 8;
    }
    if ((value >> 28) == 0) {
        zeros += 4;
        value <<= 4;
    }
    if ((value >> 30) == 0) {
        zeros += 2;
        value <<= 2;
    }
    return zeros + ((value >> 31) ^ 1u);
}

/*
 * numerator / divisor, rounded towards zero: exact. If the quotient does not fit 32 bits the
 * result is the nearest number that fits, and *failed becomes at least FX_OVERFLOW. If the divisor
 * is 0 the result is the largest or smallest number, by the sign of the numerator, or 0 if it is
 * 0 too, and *failed becomes at least FX_UNDEFINED. A sum of products (fx_wide.h) divided by a
 * number gives a number.
 */
fx_t fx_divide_wide(int64_t numerator, fx_t divisor, uint32_t *failed);

/*
 * To divide many numbers by the same one: value / divisor is value * factor, shifted right. The
 * factor has 31 bits, rounded down; a quotient then costs as much as a product.
 */
struct fx_reciprocal {
    fx_t factor;
    uint32_t shift;
};

/* The divisor must be above 0. */
struct fx_reciprocal fx_reciprocal(fx_t divisor);

/*
 * value / divisor, rounded down. Error below one step and |quotient| * 2^-29. The range notes a
 * quotient that leaves the range; it then wraps.
 */
static inline fx_t fx_divide_by_reciprocal(fx_t value, struct fx_reciprocal divisor,
                                           struct fx_range *range)
{
    const int64_t product = (int64_t)value * divisor.factor;
    const int32_t high = (int32_t)(product >> 32);
    if (divisor.shift >= 32u) { /* the low half is not needed, and the quotient cannot be large */
        return high >> (divisor.shift - 32u);
    }
    const uint32_t low = (uint32_t)product;
    const fx_t quotient =
        (fx_t)((uint32_t)high << (32u - divisor.shift) | low >> divisor.shift);
    range->lost |= (uint32_t)((high >> divisor.shift) ^ (quotient >> 31));
    return quotient;
}

#endif
