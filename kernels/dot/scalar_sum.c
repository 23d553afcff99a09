#include "fx_wide.h"
#include "dot.h"

void fx_dot_scalar_sum_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count)
{
    *out = fx_wide_floor_wrap(fx_wide_dot(0, a, b, count));
}
