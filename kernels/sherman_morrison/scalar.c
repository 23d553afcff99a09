#include "fx_rank_one.h"
#include "sherman_morrison.h"

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
        fx_copy(a, out, n * n);
        return status;
    }
    const struct fx_reciprocal inverse = fx_reciprocal(denominator);
    uint32_t sizes = 0;
    for (uint32_t i = 0; i < n; ++i) {
        w[i] = fx_divide_by_reciprocal(v[i], inverse, &range);
        sizes |= (uint32_t)(w[i] ^ (w[i] >> 31));
    }
    if (range.lost != 0) {
        fx_copy(a, out, n * n);
        return FX_OVERFLOW;
    }
    /* With m positive definite and at least the identity, no w is above 1/2, and all are small. */
    fx_rank_one_subtract(a, out, w, v, sizes, n);
    return FX_OK;
}
