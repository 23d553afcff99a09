#include "fx_rank_vector.h"
#include "outer.h"

void fx_outer_vector_floor_wrap(const fx_t *a, const fx_t *x, const fx_t *y, const fx_t *s,
                                fx_t *out, uint32_t rows, uint32_t columns)
{
    const struct fx_rank_update update = {
        .a = a,
        .left = x,
        .right = y,
        .out = out,
        .rows = rows,
        .columns = columns,
        .rank = 1u,
        .scaled = 1,
        .factor = (uint32_t)(*s >> FX_PRE_SHIFT_B),
        .shift = FX_POST_SHIFT,
    };
    fx_rank_update_vector(&update);
}
