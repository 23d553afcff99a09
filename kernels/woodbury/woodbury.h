/*
 * out = inverse of (m + u^T u), from a, the inverse of m (n x n, symmetric), and u (rank x n): an
 * update by `rank` vectors at once.
 *   v = u a,  s = I + u v^T,  w = s^-1 v,  out = a - w^T v.
 * out may be a, which is unchanged if the update fails; otherwise out becomes a copy of it.
 * work: (2 * n + 2 * rank + 4) * rank words. s is inverted by invert_symmetric (scalar).
 *
 * Returns FX_SINGULAR if s is not positive definite, FX_OVERFLOW if a number is found to leave
 * the range, FX_TOO_LARGE (vector only) if rank is not below half the words of a scratchpad.
 */
#ifndef KERNEL_WOODBURY_H
#define KERNEL_WOODBURY_H

#include "fx.h"

/*
 * All products are summed in 64 bits, and each element of v, s, w and out is rounded down once.
 * Only the lower triangle is computed, so out is symmetric bit by bit; a must be. Elements of u and
 * v must be below 2^(31 - F) / n (the larger of n and rank, rounded up to a power of two), else
 * FX_OVERFLOW.
 */
enum fx_status fx_woodbury_scalar_floor_checked(const fx_t *a, const fx_t *u, fx_t *out,
                                                fx_t *work, uint32_t n, uint32_t rank);

/*
 * On the vector unit, by the shifts of fx_vector.h, all of which round down; the first operand of
 * each product above is its a. Sums wrap before their last shift, so they must lie within
 * +-2^(31 - F - FX_POST_SHIFT), +-2048 by default; the status covers s only. One hart at a time
 * where harts share the unit; scratchpads 0 to 3.
 */
enum fx_status fx_woodbury_vector_floor_checked(const fx_t *a, const fx_t *u, fx_t *out,
                                                fx_t *work, uint32_t n, uint32_t rank);

#endif
