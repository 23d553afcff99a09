#include "sub.h"

void fx_sub_scalar_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = fx_subtract_wrap(a[i], b[i]);
    }
}
