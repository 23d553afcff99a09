#include "fx_failed.h"
#include "fx_rank_vector.h"
#include "fx_vector_reciprocal.h"
#include "dot/dot.h"
#include "matvec/matvec.h"
#include "sherman_morrison.h"

enum fx_status fx_sherman_morrison_vector_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                        fx_t *work, uint32_t n)
{
    struct fx_vector_reciprocal inverse = {0, 0};
    enum fx_status status = FX_SINGULAR;
    fx_t *const v = work, *const sum = work + n;
    fx_matvec_vector_floor_wrap(a, x, v, n, n);
    fx_dot_vector_floor_wrap(x, v, sum, n);
    const fx_t denominator = fx_add_wrap(*sum, FX_ONE);
    if (denominator > 0) {
        status = fx_vector_reciprocal(denominator, &inverse);
    }
    if (status != FX_OK) {
        fx_copy(a, out, n * n);
        return status;
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
        .factor = inverse.factor,
        .shift = inverse.shift,
        .subtract = 1,
    };
    fx_rank_update_vector(&update);
    return FX_OK;
}
