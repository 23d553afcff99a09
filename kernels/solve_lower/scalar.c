#include "fx_solve.h"
#include "solve_lower.h"

enum fx_status fx_solve_lower_scalar_toward_zero_checked(const fx_t *l, const fx_t *b, fx_t *out,
                                                         uint32_t n)
{
    struct fx_range range = {0, 0};
    uint32_t failed = FX_OK;
    for (uint32_t i = 0; i < n; ++i, l += n) {
        out[i] = fx_solve_row(b[i], l, out, i, l[i], &range, &failed);
    }
    const enum fx_status status = fx_solve_status(&range, n, failed);
    if (status != FX_OK) {
        fx_clear(out, n);
    }
    return status;
}
