/*
 * out = inverse of m (n x n, symmetric), from a and x: x is the last column of m, and a the inverse of
 * m without its last row and column, with zeros in their place. A matrix has this layout
 * if it grows in reserved memory. By the Schur complement s of the last element:
 *   y = a x,  s = x_n - x^T y,  u = y with -1 as its last element,  out = a + u u^T / s.
 * One division for all. out may be a, which is unchanged if the update fails; otherwise out
 * becomes a copy of it. work: 2 * n words. n is at least 1.
 *
 * Returns FX_SINGULAR if s is not above 0, FX_OVERFLOW if a number is found to leave the range.
 */
#ifndef KERNEL_GROW_INVERSE_H
#define KERNEL_GROW_INVERSE_H

#include "fx.h"

/*
 * y and x^T y are sums of 64-bit products, w = -u / s is divided by a reciprocal of 31 bits, and each
 * element takes one product w_i u_j; all are rounded down once. Only the lower triangle is computed,
 * so out is symmetric bit by bit; a must be. Elements of x must be below 2^(31 - F) / n (n rounded up
 * to a power of two), else FX_OVERFLOW.
 */
enum fx_status fx_grow_inverse_scalar_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                    fx_t *work, uint32_t n);

/*
 * On the vector unit, by the shifts of fx_vector.h and with the limits of sherman_morrison/sherman_morrison.h:
 * u takes the place of v, u / s that of w. Any n; one hart at a time where harts share the unit;
 * scratchpads 0 to 3.
 */
enum fx_status fx_grow_inverse_vector_floor_checked(const fx_t *a, const fx_t *x, fx_t *out,
                                                    fx_t *work, uint32_t n);

#endif
