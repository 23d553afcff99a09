#include "fx_solve.h"
#include "invert.h"
#include "lu/lu.h"

/* Column c of the inverse, in x. */
static void solve_column(const fx_t *lu, fx_t *x, uint32_t c, uint32_t n, struct fx_range *range,
                         uint32_t *failed)
{
    for (uint32_t i = 0; i < c; ++i) {
        x[i] = 0;
    }
    x[c] = FX_ONE;
    for (uint32_t i = c + 1u; i < n; ++i) {
        x[i] = fx_wide_floor(0 - fx_wide_dot(0, lu + i * n + c, x + c, i - c), range);
    }
    for (uint32_t i = n; i-- != 0;) {
        const fx_t *const row = lu + i * n + i;
        x[i] = fx_solve_row(x[i], row + 1, x + i + 1, n - i - 1u, row[0], range, failed);
    }
}

enum fx_status fx_invert_scalar_floor_checked(const fx_t *a, fx_t *out, fx_t *work, uint32_t n)
{
    struct fx_range range = {0, 0};
    uint32_t failed = FX_OK;
    fx_t *const x = work + 2u * n * n;
    enum fx_status status = fx_lu_scalar_floor_checked(a, work, work + n * n, n);
    for (uint32_t c = 0; status == FX_OK && c < n; ++c) {
        solve_column(work, x, c, n, &range, &failed);
        for (uint32_t i = 0; i < n; ++i) {
            out[i * n + c] = x[i];
        }
        status = fx_solve_status(&range, n, failed);
    }
    if (status != FX_OK) {
        fx_clear(out, n * n);
    }
    return status;
}
