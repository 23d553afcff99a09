#include "fx_rank_one.h"
#include "grow_inverse.h"

enum fx_status fx_grow_inverse_scalar_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                    fx_t *work, uint32_t n)
{
    struct fx_range range = {0, 0};
    fx_t *const u = work, *const w = work + n;
    for (uint32_t i = 0; i < n; ++i) {
        fx_range_see(&range, x[i]);
        u[i] = fx_wide_floor(fx_wide_dot(0, a + i * n, x, n), &range);
    }
    const uint64_t sum = fx_wide(x[n - 1u]) - fx_wide_dot(0, x, u, n);
    const fx_t schur = fx_wide_floor(sum, &range);
    enum fx_status status = fx_range_status(&range, n);
    if (status == FX_OK && schur <= 0) {
        status = FX_SINGULAR;
    }
    if (status != FX_OK) {
        fx_copy(a, out, n * n);
        return status;
    }
    u[n - 1u] = -FX_ONE;
    const struct fx_reciprocal inverse = fx_reciprocal(schur);
    uint32_t sizes = 0;
    for (uint32_t i = 0; i < n; ++i) {
        w[i] = fx_divide_by_reciprocal(fx_subtract_wrap(0, u[i]), inverse, &range);
        sizes |= (uint32_t)(w[i] ^ (w[i] >> 31));
    }
    if (range.lost != 0) {
        fx_copy(a, out, n * n);
        return FX_OVERFLOW;
    }
    fx_rank_one_subtract(a, out, w, u, sizes, n);
    return FX_OK;
}
