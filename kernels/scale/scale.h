/*
 * out = *s times a, element by element; matrices are vectors of rows * columns elements.
 * out may be a; it must not overlap a or s otherwise.
 */
#ifndef KERNEL_SCALE_H
#define KERNEL_SCALE_H

#include "fx.h"

/* 64-bit products, rounded down: error below one step. They wrap modulo 2^32. */
void fx_scale_scalar_floor_wrap(const fx_t *a, const fx_t *s, fx_t *out, uint32_t count);

/*
 * On the vector unit, by the shifts of fx_vector.h: a takes the place of its a, s of its b.
 * Products wrap before the last shift, so they must lie within +-2^(31 - F - FX_POST_SHIFT),
 * +-2048 by default (F = FX_FRACTION_BITS). Error below |a| * 2^-(F - FX_PRE_SHIFT_B) +
 * |s| * 2^-(F - FX_PRE_SHIFT_A) + 2^-(F - FX_PRE_SHIFT_A) * 2^-(F - FX_PRE_SHIFT_B) + 2^-F.
 * One hart at a time where harts share the unit; scratchpads 0 and 2.
 */
void fx_scale_vector_floor_wrap(const fx_t *a, const fx_t *s, fx_t *out, uint32_t count);

#endif
