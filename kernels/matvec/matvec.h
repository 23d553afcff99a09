/*
 * out (rows) = a (rows x columns) * x (columns). out must not overlap a or x. The product of one
 * row x and a transposed a: contracts and error bounds are those of multiply_transposed/multiply_transposed.h.
 */
#ifndef KERNEL_MATVEC_H
#define KERNEL_MATVEC_H

#include "fx.h"

/* Sums of 64-bit products, rounded down once; they wrap modulo 2^32. Error below one step. */
void fx_matvec_scalar_floor_wrap(const fx_t *a, const fx_t *x, fx_t *out, uint32_t rows,
                                 uint32_t columns);

/* On the vector unit: x is operand a (so FX_PRE_SHIFT_A), the matrix is operand b. */
void fx_matvec_vector_floor_wrap(const fx_t *a, const fx_t *x, fx_t *out, uint32_t rows,
                                 uint32_t columns);

#endif
