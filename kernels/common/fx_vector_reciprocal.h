/* Division of a vector by one number on a vector unit without division. */
#ifndef FX_VECTOR_RECIPROCAL_H
#define FX_VECTOR_RECIPROCAL_H

#include "fx_divide.h"
#include "fx_vector.h"

/*
 * vector / divisor is  ((vector >> FX_PRE_SHIFT_A) * factor) >> shift,  all rounded down. The
 * factor has FX_FACTOR_BITS bits: quotients have an error up to 2^(2 - FX_FACTOR_BITS) of their size,
 * plus the loss of the first shift. A number of the vector must lie within
 * +-2^(31 - FX_FACTOR_BITS + FX_PRE_SHIFT_A - F), +-128 by default, or its product wraps.
 */
#define FX_FACTOR_BITS 14u

struct fx_vector_reciprocal {
    uint32_t factor, shift;
};

/* One division, of the upper 16 bits. The divisor must be above 0. Returns FX_OVERFLOW if it is so
 * small that quotients would have to be shifted left. */
static inline enum fx_status fx_vector_reciprocal(fx_t divisor, struct fx_vector_reciprocal *to)
{
    const uint32_t zeros = fx_leading_zeros((uint32_t)divisor);
    const uint32_t upper = ((uint32_t)divisor << zeros) >> 16; /* 2^15 .. 2^16 - 1 */
    const int32_t shift =
        (int32_t)(31u + FX_FACTOR_BITS - zeros) - FX_FRACTION_BITS - FX_PRE_SHIFT_A;
    to->factor = ((1u << (15u + FX_FACTOR_BITS)) - 1u) / upper;
    to->shift = shift < 31 ? (uint32_t)shift : 31u; /* from 31 on only the sign is left */
    return shift < 0 ? FX_OVERFLOW : FX_OK;
}

#endif
