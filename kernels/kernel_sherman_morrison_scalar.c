#include "fx_divide.h"
#include "kernel_sherman_morrison.h"

/* w with its point moved up so far that the upper half of a product is the product rounded down.
 * That saves the lower half, and bringing the two together. */
#define UP (32u - FX_FRACTION_BITS)

static inline fx_t upper_half(fx_t a, fx_t b)
{
    return (fx_t)(((int64_t)a * b) >> 32);
}

/* Row i of the lower triangle, and column i. */
static inline void update_row(const fx_t *a, fx_t *out, const fx_t *v, fx_t w, uint32_t i,
                              uint32_t n, int small)
{
    const fx_t *const row = a + i * n;
    fx_t *to = out + i * n, *mirror = out + i;
    const fx_t factor = small ? (fx_t)((uint32_t)w << UP) : w;
    for (uint32_t j = 0; j <= i; ++j, mirror += n) {
        const fx_t product =
            small ? upper_half(factor, v[j]) : fx_multiply_floor_wrap(factor, v[j]);
        const fx_t value = fx_subtract_wrap(row[j], product);
        to[j] = value;
        *mirror = value;
    }
}

static void copy(const fx_t *a, fx_t *out, uint32_t count)
{
    for (uint32_t i = 0; a != out && i < count; ++i) {
        out[i] = a[i];
    }
}

enum fx_status fx_sherman_morrison_scalar_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                        fx_t *work, uint32_t n)
{
    struct fx_range range = {0, 0};
    fx_t *const v = work, *const w = work + n;
    for (uint32_t i = 0; i < n; ++i) {
        fx_range_see(&range, x[i]);
        v[i] = fx_wide_floor(fx_wide_dot(0, a + i * n, x, n), &range);
    }
    const fx_t denominator = fx_wide_floor(fx_wide_dot(fx_wide(FX_ONE), x, v, n), &range);
    enum fx_status status = fx_range_status(&range, n);
    if (status == FX_OK && denominator <= 0) {
        status = FX_SINGULAR;
    }
    if (status != FX_OK) {
        copy(a, out, n * n);
        return status;
    }
    const struct fx_reciprocal inverse = fx_reciprocal(denominator);
    uint32_t sizes = 0;
    for (uint32_t i = 0; i < n; ++i) {
        w[i] = fx_divide_by_reciprocal(v[i], inverse, &range);
        sizes |= (uint32_t)(w[i] ^ (w[i] >> 31));
    }
    if (range.lost != 0) {
        copy(a, out, n * n);
        return FX_OVERFLOW;
    }
    /* With m positive definite and at least the identity, no w is above 1/2, and all are small. */
    const int small = sizes >> (FX_FRACTION_BITS - 1) == 0;
    for (uint32_t i = 0; i < n; ++i) {
        if (small) {
            update_row(a, out, v, w[i], i, n, 1);
        } else {
            update_row(a, out, v, w[i], i, n, 0);
        }
    }
    return FX_OK;
}
