#include "fx_divide.h"
#include "divide.h"

enum fx_status fx_divide_scalar_toward_zero_saturate(const fx_t *a, const fx_t *b, fx_t *out,
                                                     uint32_t count)
{
    uint32_t failed = FX_OK;
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = fx_divide_wide((int64_t)fx_wide(a[i]), b[i], &failed);
    }
    return (enum fx_status)failed;
}
