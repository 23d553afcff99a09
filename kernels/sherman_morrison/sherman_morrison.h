/*
 * out = inverse of (m + x x^T), from a, the inverse of m (n x n, symmetric), and x:
 *   v = a x,  out = a - v v^T / (1 + x^T v).
 * One division for all. out may be a, which is unchanged if the update fails; otherwise out
 * becomes a copy of it. work: 2 * n words.
 *
 * Returns FX_SINGULAR if the denominator is not above 0, FX_OVERFLOW if a number is found to
 * leave the range.
 */
#ifndef KERNEL_SHERMAN_MORRISON_H
#define KERNEL_SHERMAN_MORRISON_H

#include "fx.h"

/*
 * v and x^T v are sums of 64-bit products, w = v / (1 + x^T v) is divided by a reciprocal of 31
 * bits, and each element takes one product w_i v_j; all are rounded down once. Only the lower
 * triangle is computed, so out is symmetric bit by bit; a must be. Elements of x must be below
 * 2^(31 - F) / n (n rounded up to a power of two), else FX_OVERFLOW.
 */
enum fx_status fx_sherman_morrison_scalar_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                        fx_t *work, uint32_t n);

/*
 * On the vector unit, by the shifts of fx_vector.h, all of which round down: the sums v (x its a,
 * the rows its b) and x^T v (x its a, v its b); then w = v / (1 + x^T v) as in
 * fx_vector_reciprocal.h, and w (its a) times v (its b). A sum or product wraps before its last
 * shift, so it must lie within +-2^(31 - F - FX_POST_SHIFT), +-2048 by default, and v within the
 * limits of fx_vector_reciprocal.h, +-128 by default; the status covers the denominator only. Any n;
 * one hart at a time where harts share the unit; scratchpads 0 to 3.
 */
enum fx_status fx_sherman_morrison_vector_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                        fx_t *work, uint32_t n);

#endif
