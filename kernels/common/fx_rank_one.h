/* Symmetric updates by one outer product on the core, for sherman_morrison and grow_inverse. */
#ifndef FX_RANK_ONE_H
#define FX_RANK_ONE_H

#include "fx_divide.h"
#include "fx_failed.h"

/* w with its point moved up until the upper half of a product is the product rounded down.
 * This saves computing the lower half and combining both halves. */
#define FX_RANK_ONE_UP (32u - FX_FRACTION_BITS)

static inline fx_t fx_upper_half(fx_t a, fx_t b)
{
    return (fx_t)(((int64_t)a * b) >> 32);
}

/* Row i of the lower triangle, and column i. */
static inline void fx_rank_one_row(const fx_t *a, fx_t *out, const fx_t *v, fx_t w, uint32_t i,
                                   uint32_t n, int small)
{
    const fx_t *const row = a + i * n;
    fx_t *to = out + i * n, *mirror = out + i;
    const fx_t factor = small ? (fx_t)((uint32_t)w << FX_RANK_ONE_UP) : w;
    for (uint32_t j = 0; j <= i; ++j, mirror += n) {
        const fx_t product =
            small ? fx_upper_half(factor, v[j]) : fx_multiply_floor_wrap(factor, v[j]);
        const fx_t value = fx_subtract_wrap(row[j], product);
        to[j] = value;
        *mirror = value;
    }
}

/* out = a - w v^T of the lower triangle, mirrored. `sizes` holds the bits of all magnitudes of w. */
static inline void fx_rank_one_subtract(const fx_t *a, fx_t *out, const fx_t *w, const fx_t *v,
                                        uint32_t sizes, uint32_t n)
{
    const int small = sizes >> (FX_FRACTION_BITS - 1) == 0; /* all below 1/2 */
    for (uint32_t i = 0; i < n; ++i) {
        if (small) {
            fx_rank_one_row(a, out, v, w[i], i, n, 1);
        } else {
            fx_rank_one_row(a, out, v, w[i], i, n, 0);
        }
    }
}

#endif
