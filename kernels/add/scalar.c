#include "add.h"

void fx_add_scalar_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = fx_add_wrap(a[i], b[i]);
    }
}
