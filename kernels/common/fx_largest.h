/* The largest of some numbers. */
#ifndef FX_LARGEST_H
#define FX_LARGEST_H

#include "fx.h"

/* There must be one. */
static inline fx_t fx_largest(const fx_t *a, uint32_t count)
{
    fx_t largest = a[0];
    for (uint32_t i = 1; i < count; ++i) {
        largest = a[i] > largest ? a[i] : largest;
    }
    return largest;
}

#endif
