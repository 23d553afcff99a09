/*
 * out (rows x columns) = a + s x transposed(y): rank-1 update. out may be a; it must not overlap
 * anything otherwise.
 */
#ifndef KERNEL_OUTER_H
#define KERNEL_OUTER_H

#include "fx.h"

/* s x, then (s x) y, each from 64 bits and rounded down; everything wraps modulo 2^32.
 * Error below |y_j| + 1 steps while nothing leaves the range. */
void fx_outer_scalar_floor_wrap(const fx_t *a, const fx_t *x, const fx_t *y, const fx_t *s,
                                fx_t *out, uint32_t rows, uint32_t columns);

/*
 * On the vector unit: two products by the shifts of fx_vector.h, first x (its a) and s (its b),
 * then s x (its a) and y (its b). They wrap before their last shift, so s x_i and s x_i y_j must
 * lie within +-2^(31 - F - FX_POST_SHIFT), +-2048 by default. Any size; one hart at a time where
 * harts share the unit; scratchpads 0 to 3.
 */
void fx_outer_vector_floor_wrap(const fx_t *a, const fx_t *x, const fx_t *y, const fx_t *s,
                                fx_t *out, uint32_t rows, uint32_t columns);

#endif
