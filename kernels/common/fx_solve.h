/* One row of a substitution, for solve_lower, solve_upper and invert. */
#ifndef FX_SOLVE_H
#define FX_SOLVE_H

#include "fx_divide.h"
#include "fx_failed.h"

/*
 * (b - the products of `count` pairs) / pivot. *failed becomes the status of a failure; the
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

/* Status of a kernel, given the failure of its divisions. A zero pivot appears as FX_UNDEFINED. */
static inline enum fx_status fx_solve_status(const struct fx_range *range, uint32_t count,
                                             uint32_t failed)
{
    if (failed == FX_UNDEFINED) {
        return FX_SINGULAR;
    }
    return failed == FX_OVERFLOW ? FX_OVERFLOW : fx_range_status(range, count);
}

/*
 * Error bound of a pivot, in steps: one, plus one for each factor times its multiplier.
 * A pivot not above this bound is zero within rounding. `products` are the factors
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
