/*
 * out (rows x columns) = a (rows x inner) * b (inner x columns), row by row in memory.
 *
 * out must not overlap a or b. Sizes of 0 leave out untouched; with inner = 0 it is undefined.
 */
#ifndef KERNEL_MULTIPLY_H
#define KERNEL_MULTIPLY_H

#include "fx.h"

/*
 * Every product from 64 bits, rounded towards zero; products and their sum wrap modulo 2^32.
 * Error below inner * 2^-FX_FRACTION_BITS while nothing leaves the range.
 */
void fx_multiply_scalar_toward_zero_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                         uint32_t inner, uint32_t columns);

/* Products summed in 64 bits, rounded down once; the sum wraps modulo 2^32. Error below a step. */
void fx_multiply_scalar_sum_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                       uint32_t inner, uint32_t columns);

/*
 * On the vector unit; the shifts are those of fx_vector.h and all round down. The sum is made of
 * 32-bit products before the last shift and wraps there: a result, in real numbers, must lie
 * within +-2^(31 - FX_FRACTION_BITS - FX_POST_SHIFT), +-2048 by default. Single products and
 * partial sums may wrap.
 * Error below  sum over k of (|a_ik| * 2^-(F - FX_PRE_SHIFT_B) + |b_kj| * 2^-(F - FX_PRE_SHIFT_A)
 * + 2^-(F - FX_PRE_SHIFT_A) * 2^-(F - FX_PRE_SHIFT_B)) + 2^-F  with F = FX_FRACTION_BITS: about
 * (|a| + |b|) / 1024 per product by default.
 *
 * The sizes determine which of the two variants below is faster; this function chooses. All three give
 * the same bits. One hart at a time: they use a static buffer, and scratchpads 0 to 3.
 */
void fx_multiply_vector_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                   uint32_t inner, uint32_t columns);

/* Row by row: rows of b, each times one element of a, summed. All three matrices must fit a
 * scratchpad each. */
void fx_multiply_rows_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                 uint32_t inner, uint32_t columns);

/* Dot products of rows of a and columns of b, which the integer core gathers. Any size. */
void fx_multiply_dots_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                 uint32_t inner, uint32_t columns);

/*
 * fx_multiply_vector_floor_wrap, for harts that share a vector unit: hart 0 calls this one while
 * harts 1 to GNOMON_ACTIVE_HARTS - 1 are in, or on their way to, fx_multiply_harts_help(hart),
 * which returns after one product. The same bits. Matrices that do not fit a scratchpad each, small
 * ones, and programs of one hart run on hart 0 alone. It uses static buffers.
 */
void fx_multiply_harts_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t rows,
                                  uint32_t inner, uint32_t columns);
void fx_multiply_harts_help(uint32_t hart);

#endif
