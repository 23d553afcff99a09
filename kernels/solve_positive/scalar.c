/* Rows of l forwards, its columns backwards. */
#include "fx_ldl.h"
#include "solve_positive.h"

enum fx_status fx_solve_positive_scalar_floor_checked(const fx_t *a, const fx_t *b, fx_t *out,
                                                      fx_t *work, uint32_t n)
{
    const struct fx_ldl f = fx_ldl_in(work, n);
    enum fx_status status = FX_OK;
    for (uint32_t i = 0; status == FX_OK && i < n; ++i) {
        status = fx_ldl_row(&f, a + i * n, i);
    }
    if (status == FX_OK) {
        struct fx_range range = {0, 0};
        for (uint32_t i = 0; i < n; ++i) {
            const uint64_t sum = fx_wide(b[i]) - fx_wide_dot(0, f.rows + i * n, out, i);
            out[i] = fx_wide_floor(sum, &range);
        }
        for (uint32_t i = n; i-- != 0;) {
            uint64_t sum = fx_wide(fx_divide_by_reciprocal(out[i], f.inverse[i], &range));
            for (uint32_t k = i + 1; k < n; ++k) {
                sum -= (uint64_t)((int64_t)f.rows[k * n + i] * (int64_t)out[k]);
            }
            out[i] = fx_wide_floor(sum, &range);
        }
        status = range.lost != 0 ? FX_OVERFLOW : FX_OK;
    }
    if (status != FX_OK) {
        fx_clear(out, n);
    }
    return status;
}
