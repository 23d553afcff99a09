/*
 * out = x of l x = b: forward substitution. l (n x n) is lower triangular; elements above its
 * diagonal are not read. out may be b.
 *
 * Sums of 64-bit products; each x is one division of such a sum, rounded towards zero. Returns
 * FX_SINGULAR if the diagonal has a zero, FX_OVERFLOW if an x leaves the range or is not below
 * 2^(31 - F) / n (n rounded up to a power of two, F = FX_FRACTION_BITS), where sums might be
 * larger than 64 bits. Then all of out is 0.
 */
#ifndef KERNEL_SOLVE_LOWER_H
#define KERNEL_SOLVE_LOWER_H

#include "fx.h"

enum fx_status fx_solve_lower_scalar_toward_zero_checked(const fx_t *l, const fx_t *b, fx_t *out,
                                                         uint32_t n);

#endif
