/*
 * out = inverse of a symmetric positive definite matrix a (n x n). Only the lower triangle of a is
 * read; out is symmetric, bit by bit (the scalar ones). out may be a. work: n * n + 4 * n words.
 *
 * All return FX_SINGULAR if a pivot is not above its own rounding error (a few steps, and a step
 * for each unit eliminated above it), FX_OVERFLOW if a number is found to leave the
 * range; then all of out is 0.
 */
#ifndef KERNEL_INVERT_SYMMETRIC_H
#define KERNEL_INVERT_SYMMETRIC_H

#include "fx.h"

/*
 * By a = l d l^T, the inverse m of l, and m^T d^-1 m: n^3 / 2 products in 64 bits, one rounding
 * (down) per element and stage; divisions by a reciprocal of 31 bits per pivot. Numbers of l and m
 * must be below 2^(31 - F) / n (n rounded up to a power of two), else FX_OVERFLOW.
 */
enum fx_status fx_invert_symmetric_scalar_floor_checked(const fx_t *a, fx_t *out, fx_t *work,
                                                        uint32_t n);

/*
 * By Gauss-Jordan elimination of the lower triangle in place: n^3 / 2 products as well, but each is
 * rounded (down), stored and loaded again.
 */
enum fx_status fx_invert_symmetric_gauss_jordan_floor_checked(const fx_t *a, fx_t *out, fx_t *work,
                                                              uint32_t n);

/*
 * On the vector unit, by bordering: row k of a extends the inverse X of the k x k matrix above it,
 *   v = (X r, -1),  d = a_kk - r^T X r,  X = X + v v^T / d,
 * with r the first k elements of that row. By the shifts of fx_vector.h, all of which round down:
 * the sums X r (r its a, X its b) and r^T (X r) (r its a), w = v / d as in fx_vector_reciprocal.h,
 * w_i v_j (w its a). A sum or product wraps before its last shift, so it must lie within
 * +-2^(31 - F - FX_POST_SHIFT), +-2048 by default; the status covers d only: FX_SINGULAR if it
 * is not above (a_kk + k) * 2^-(F - P - 2), P the larger shift before a product. out is symmetric
 * within the losses of the shifts.
 *
 * n * n words must fit a scratchpad: else FX_TOO_LARGE, and all of out is 0. One hart at a time
 * where harts share the unit; scratchpads 0 to 3.
 */
enum fx_status fx_invert_symmetric_vector_floor_checked(const fx_t *a, fx_t *out, fx_t *work,
                                                        uint32_t n);

#endif
