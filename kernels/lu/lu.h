/*
 * out = l and u of a = l u (n x n), by Doolittle's method without pivoting: u on and above the
 * diagonal, l below it; the ones on its diagonal are not stored. out may be a. work: n * n words.
 *
 * u is a sum of 64-bit products rounded down, l one divided by the pivot and rounded towards zero.
 * Returns FX_SINGULAR if a pivot is not above its own rounding error, which is i steps and the sum
 * of |u| above it times a step, FX_OVERFLOW if a number leaves the range or one of l is
 * not below 2^(31 - F) / n (n rounded up to a power of two, F = FX_FRACTION_BITS), where sums
 * might be larger than 64 bits; the first failure, by rows, counts. Then all of out is 0.
 */
#ifndef KERNEL_LU_H
#define KERNEL_LU_H

#include "fx.h"

enum fx_status fx_lu_scalar_floor_checked(const fx_t *a, fx_t *out, fx_t *work, uint32_t n);

#endif
