#include "dot.h"

void fx_dot_scalar_toward_zero_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count)
{
    fx_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum = fx_add_wrap(sum, fx_multiply_toward_zero_wrap(a[i], b[i]));
    }
    *out = sum;
}
