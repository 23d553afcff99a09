/* out = a x + y on the integer core, element by element. */
#include "fx.h"

void @folder@_scalar_floor_wrap(const fx_t *a, const fx_t *x, const fx_t *y, fx_t *out,
                                uint32_t length)
{
    const fx_t factor = *a;
    for (uint32_t i = 0; i < length; ++i) {
        out[i] = fx_add_wrap(fx_multiply_floor_wrap(factor, x[i]), y[i]);
    }
}
