/*
 * *out = sum over i of a_i * b_i. out must not be part of a or b.
 */
#ifndef KERNEL_DOT_H
#define KERNEL_DOT_H

#include "fx.h"

/* Every product from 64 bits, rounded towards zero; products and their sum wrap modulo 2^32.
 * Error below count * 2^-FX_FRACTION_BITS while nothing leaves the range. */
void fx_dot_scalar_toward_zero_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count);

/* Products summed in 64 bits, rounded down once; the sum wraps modulo 2^32. Error below a step. */
void fx_dot_scalar_sum_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count);

/*
 * On the vector unit; one hart at a time where harts share it; scratchpads 0 and 1. The shifts are
 * those of fx_vector.h and all round down. With F = FX_FRACTION_BITS both variants lose of operands:
 *   sum over i of (|a_i| * 2^-(F - FX_PRE_SHIFT_B) + |b_i| * 2^-(F - FX_PRE_SHIFT_A)
 *                  + 2^-(F - FX_PRE_SHIFT_A) * 2^-(F - FX_PRE_SHIFT_B)).
 */

/* The sum is shifted, once: at most 2^-F more error. The sum wraps before the shift, so the
 * result must lie within +-2^(31 - F - FX_POST_SHIFT), +-2048 by default. */
void fx_dot_vector_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count);

/* Every product is shifted: at most count * 2^-F more error, always downwards. Products wrap
 * before the shift, so each must lie within +-2048; the sum has the whole range. */
void fx_dot_vector_floor_each_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count);

#endif
