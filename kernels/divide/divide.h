/*
 * out = a / b, element by element, rounded towards zero. out may be a or b.
 *
 * A quotient out of range becomes the largest or smallest number, and the status FX_OVERFLOW. A
 * division by 0 does the same by the sign of its numerator, 0 / 0 is 0, and the status is
 * FX_UNDEFINED. Other elements are not affected.
 */
#ifndef KERNEL_DIVIDE_H
#define KERNEL_DIVIDE_H

#include "fx.h"

enum fx_status fx_divide_scalar_toward_zero_saturate(const fx_t *a, const fx_t *b, fx_t *out,
                                                     uint32_t count);

#endif
