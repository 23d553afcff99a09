#include "fx_exp.h"
#include "fx_failed.h"
#include "fx_wide.h"
#include "gaussian.h"

#if FX_FRACTION_BITS > 27
#error "gaussian/scalar.c: FX_FRACTION_BITS must be at most 27: exp(-32) must be 0"
#endif

/* Magnitudes from 2^32 on are 0 as exponentials, like 2^32 - 1. */
static inline uint32_t times(uint32_t size, fx_t g)
{
    const uint64_t product = ((uint64_t)size * (uint32_t)g) >> FX_FRACTION_BITS;
    return product >> 32 != 0 ? UINT32_MAX : (uint32_t)product;
}

enum fx_status fx_gaussian_scalar_nearest_checked(const fx_t *a, const fx_t *x, const fx_t *g,
                                                  fx_t *out, uint32_t rows, uint32_t columns)
{
    struct fx_range range = {0, 0};
    const fx_t factor = *g;
    if (factor < 0) {
        fx_clear(out, rows);
        return FX_UNDEFINED;
    }
    for (uint32_t i = 0; i < rows; ++i, a += columns) {
        uint64_t sum = 0;
        uint32_t wrapped = 0;
        for (uint32_t k = 0; k < columns; ++k) {
            const fx_t difference = fx_subtract_wrap(a[k], x[k]);
            wrapped |= (uint32_t)((a[k] ^ x[k]) & (a[k] ^ difference));
            fx_range_see(&range, difference);
            sum = fx_wide_add(sum, difference, difference);
        }
        range.lost |= wrapped >> 31;
        out[i] = fx_exp_of_minus(times((uint32_t)fx_wide_floor(sum, &range), factor));
    }
    const enum fx_status status = fx_range_status(&range, columns);
    if (status != FX_OK) {
        fx_clear(out, rows);
    }
    return status;
}
