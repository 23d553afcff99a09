/*
 * out = a^-1 b for a symmetric positive definite matrix a (n x n), without the inverse. Only the
 * lower triangle of a is read. out may be b. work: n * n + 3 * n words.
 *
 * By a = l d l^T: n^3 / 6 + n^2 products in 64 bits, one rounding (down) per element and stage,
 * and a reciprocal of 31 bits per pivot.
 *
 * Returns FX_SINGULAR if a pivot is not above its own rounding error (a few steps, and a step for
 * each unit eliminated above it), FX_OVERFLOW if a number leaves the range, or one
 * of l is not below 2^(31 - F) / n (n rounded up to a power of two); then out is 0.
 */
#ifndef KERNEL_SOLVE_POSITIVE_H
#define KERNEL_SOLVE_POSITIVE_H

#include "fx.h"

enum fx_status fx_solve_positive_scalar_floor_checked(const fx_t *a, const fx_t *b, fx_t *out,
                                                      fx_t *work, uint32_t n);

#endif
