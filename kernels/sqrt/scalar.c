#include "fx_sqrt.h"
#include "sqrt.h"

enum fx_status fx_sqrt_scalar_floor_checked(const fx_t *a, fx_t *out, uint32_t count)
{
    enum fx_status status = FX_OK;
    for (uint32_t i = 0; i < count; ++i) {
        if (a[i] < 0) {
            status = FX_UNDEFINED;
            out[i] = 0;
        } else {
            out[i] = fx_sqrt(a[i]);
        }
    }
    return status;
}
