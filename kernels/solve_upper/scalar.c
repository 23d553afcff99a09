#include "fx_solve.h"
#include "solve_upper.h"

enum fx_status fx_solve_upper_scalar_toward_zero_checked(const fx_t *u, const fx_t *b, fx_t *out,
                                                         uint32_t n)
{
    struct fx_range range = {0, 0};
    uint32_t failed = FX_OK;
    for (uint32_t i = n; i-- != 0;) {
        const fx_t *const row = u + i * n + i;
        out[i] = fx_solve_row(b[i], row + 1, out + i + 1, n - i - 1u, row[0], &range, &failed);
    }
    const enum fx_status status = fx_solve_status(&range, n, failed);
    if (status != FX_OK) {
        fx_clear(out, n);
    }
    return status;
}
