#include "fx_log.h"
#include "log.h"

enum fx_status fx_log_scalar_nearest_checked(const fx_t *a, fx_t *out, uint32_t count)
{
    enum fx_status status = FX_OK;
    for (uint32_t i = 0; i < count; ++i) {
        if (a[i] <= 0) {
            status = FX_UNDEFINED;
            out[i] = INT32_MIN;
        } else {
            out[i] = fx_log_of((uint32_t)a[i]);
        }
    }
    return status;
}
