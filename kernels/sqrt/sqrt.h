/*
 * out = square root of a, element by element, rounded down: error below one step. out may be a.
 * The root of a negative number is 0 and the status FX_UNDEFINED; other elements are
 * not affected.
 */
#ifndef KERNEL_SQRT_H
#define KERNEL_SQRT_H

#include "fx.h"

enum fx_status fx_sqrt_scalar_floor_checked(const fx_t *a, fx_t *out, uint32_t count);

#endif
