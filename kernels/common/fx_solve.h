/* One row of a substitution: what solve_lower, solve_upper and invert share. */
#ifndef FX_SOLVE_H
#define FX_SOLVE_H

#include "fx_divide.h"
#include "fx_failed.h"

/*
 * (b - the products of `count` pairs) / pivot. *failed becomes what went wrong, if anything; the
 * range notes the size of the result.
 */
static inline fx_t fx_solve_row(fx_t b, const fx_t *row, const fx_t *x, uint32_t count,
                                fx_t pivot, struct fx_range *range, uint32_t *failed)
{
    const uint64_t sum = fx_wide(b) - fx_wide_dot(0, row, x, count);
    const fx_t result = fx_divide_wide((int64_t)sum, pivot, failed);
    fx_range_see(range, result);
    return result;
}

/* The answer of a kernel whose divisions failed as they did. A zero pivot shows as FX_UNDEFINED. */
static inline enum fx_status fx_solve_status(const struct fx_range *range, uint32_t count,
                                             uint32_t failed)
{
    if (failed == FX_UNDEFINED) {
        return FX_SINGULAR;
    }
    return failed == FX_OVERFLOW ? FX_OVERFLOW : fx_range_status(range, count);
}

/*
 * How far a pivot can be off, in steps: one, and one of each factor times what it is multiplied by.
 * A pivot that is not above that is zero as far as these numbers tell. `products` are the factors
 * that were multiplied by rounded quotients for this pivot.
 */
static inline uint32_t fx_pivot_error(const fx_t *products, uint32_t count)
{
    uint32_t steps = 1;
    for (uint32_t k = 0; k < count; ++k) {
        const fx_t value = products[k];
        steps += ((uint32_t)(value ^ (value >> 31)) >> FX_FRACTION_BITS) + 1u;
    }
    return steps;
}

#endif
