#include "scale.h"

void fx_scale_scalar_floor_wrap(const fx_t *a, const fx_t *s, fx_t *out, uint32_t count)
{
    const fx_t factor = *s;
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = fx_multiply_floor_wrap(a[i], factor);
    }
}
