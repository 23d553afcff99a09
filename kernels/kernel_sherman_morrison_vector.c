#include "fx_divide.h"
#include "fx_rank_vector.h"
#include "kernel_dot.h"
#include "kernel_matvec.h"
#include "kernel_sherman_morrison.h"

enum fx_status fx_sherman_morrison_vector_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                        fx_t *work, uint32_t n)
{
    uint32_t failed = FX_OK;
    fx_t *const v = work, *const sum = work + n;
    fx_matvec_vector_floor_wrap(a, x, v, n, n);
    fx_dot_vector_floor_wrap(x, v, sum, n);
    const fx_t denominator = fx_add_wrap(*sum, FX_ONE);
    const fx_t scale = fx_divide_wide((int64_t)fx_wide(FX_ONE), denominator, &failed);
    if (failed != FX_OK || denominator < 0) {
        for (uint32_t i = 0; a != out && i < n * n; ++i) {
            out[i] = a[i];
        }
        return denominator <= 0 ? FX_SINGULAR : FX_OVERFLOW;
    }
    const struct fx_rank_update update = {
        .a = a,
        .left = v,
        .right = v,
        .out = out,
        .rows = n,
        .columns = n,
        .rank = 1u,
        .scaled = 1,
        .scale = scale,
        .subtract = 1,
    };
    fx_rank_update_vector(&update);
    return FX_OK;
}
