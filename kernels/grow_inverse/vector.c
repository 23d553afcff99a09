#include "fx_failed.h"
#include "fx_rank_vector.h"
#include "fx_vector_reciprocal.h"
#include "dot/dot.h"
#include "grow_inverse.h"
#include "matvec/matvec.h"

#if FX_FRACTION_BITS > FX_PRE_SHIFT_A + 16 || FX_FRACTION_BITS > 30 - FX_POST_SHIFT
#error "grow_inverse/vector.c: FX_PRE_SHIFT_A and FX_POST_SHIFT leave no room for products of 1"
#endif

enum fx_status fx_grow_inverse_vector_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                    fx_t *work, uint32_t n)
{
    struct fx_vector_reciprocal inverse = {0, 0};
    enum fx_status status = FX_SINGULAR;
    fx_t *const u = work, *const sum = work + n;
    fx_matvec_vector_floor_wrap(a, x, u, n, n);
    fx_dot_vector_floor_wrap(x, u, sum, n);
    const fx_t schur = fx_subtract_wrap(x[n - 1u], *sum);
    if (schur > 0) {
        status = fx_vector_reciprocal(schur, &inverse);
    }
    if (status != FX_OK) {
        fx_copy(a, out, n * n);
        return status;
    }
    u[n - 1u] = -FX_ONE;
    const struct fx_rank_update update = {
        .a = a,
        .left = u,
        .right = u,
        .out = out,
        .rows = n,
        .columns = n,
        .rank = 1u,
        .scaled = 1,
        .factor = inverse.factor,
        .shift = inverse.shift,
        .subtract = 0,
    };
    fx_rank_update_vector(&update);
    return FX_OK;
}
