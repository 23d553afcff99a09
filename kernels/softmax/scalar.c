#include "fx_divide.h"
#include "fx_exp.h"
#include "fx_failed.h"
#include "fx_largest.h"
#include "softmax.h"

enum fx_status fx_softmax_scalar_floor_checked(const fx_t *a, fx_t *out, uint32_t count)
{
    struct fx_range range = {0, 0};
    uint32_t sum = 0, lost = 0;
    if (count == 0) {
        return FX_OK;
    }
    const uint32_t largest = (uint32_t)fx_largest(a, count);
    for (uint32_t i = 0; i < count; ++i) {
        const fx_t value = fx_exp_of_minus(largest - (uint32_t)a[i]);
        out[i] = value;
        sum += (uint32_t)value;
        lost |= sum; /* no term has bit 31, so a sum cannot step over it */
    }
    if (lost >> 31 != 0) {
        fx_clear(out, count);
        return FX_OVERFLOW;
    }
    const struct fx_reciprocal inverse = fx_reciprocal((fx_t)sum);
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = fx_divide_by_reciprocal(out[i], inverse, &range);
    }
    return FX_OK;
}
