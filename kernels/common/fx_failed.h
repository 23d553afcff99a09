/* Result of a kernel that failed: zeros, or for an update the old values. */
#ifndef FX_FAILED_H
#define FX_FAILED_H

#include "fx.h"

static inline void fx_clear(fx_t *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = 0;
    }
}

static inline void fx_copy(const fx_t *a, fx_t *out, uint32_t count)
{
    for (uint32_t i = 0; a != out && i < count; ++i) {
        out[i] = a[i];
    }
}

#endif
