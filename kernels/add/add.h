/*
 * out = a + b, element by element; matrices of any shape are vectors of rows * columns elements.
 *
 * Exact while the sum is in range, else it wraps modulo 2^32 (both variants, same bits).
 * out may be a or b; it must not overlap them otherwise.
 */
#ifndef KERNEL_ADD_H
#define KERNEL_ADD_H

#include "fx.h"

/* One element at a time, on the integer core. */
void fx_add_scalar_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count);

/* On the vector unit. One hart at a time where harts share it; uses scratchpads 0 to 3. */
void fx_add_vector_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count);

#endif
