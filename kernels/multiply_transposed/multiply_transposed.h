/*
 * out (rows x columns) = a (rows x inner) * transposed b, with b (columns x inner); row by row in
 * memory. An element is the dot product of a row of a and a row of b: both are contiguous, so this
 * product is preferable where both apply, for example with a symmetric b.
 * out must not overlap a or b. Sizes of 0 leave out untouched.
 */
#ifndef KERNEL_MULTIPLY_TRANSPOSED_H
#define KERNEL_MULTIPLY_TRANSPOSED_H

#include "fx.h"

/* Sums of 64-bit products, rounded down once; they wrap modulo 2^32. Error below one step. */
void fx_multiply_transposed_scalar_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out,
                                              uint32_t rows, uint32_t inner, uint32_t columns);

/*
 * On the vector unit; contract and error bound are those of fx_multiply_vector_floor_wrap: the
 * operands are shifted, 32-bit products are summed, the sum wraps and is then shifted. Any size.
 * One hart at a time where harts share the unit; scratchpads 0 to 3.
 */
void fx_multiply_transposed_vector_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out,
                                              uint32_t rows, uint32_t inner, uint32_t columns);

#endif
