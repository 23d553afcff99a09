#include "fx_exp.h"
#include "exp.h"

enum fx_status fx_exp_scalar_nearest_checked(const fx_t *a, fx_t *out, uint32_t count)
{
    enum fx_status status = FX_OK;
    for (uint32_t i = 0; i < count; ++i) {
        const fx_t value = a[i];
        if (value > 0) {
            status = FX_UNDEFINED;
        }
        out[i] = fx_exp_of_minus(value > 0 ? 0u : 0u - (uint32_t)value);
    }
    return status;
}
