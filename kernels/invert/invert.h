/*
 * out = inverse of a (n x n), by l and u of lu/lu.h and two substitutions for each column of
 * the identity matrix; structural zeros are skipped. n^3 products in all. out may be a.
 * work: 2 * n * n + n words.
 *
 * Fails as lu/lu.h does; also with FX_OVERFLOW if an element of the inverse, or of the inverse
 * of l, leaves the range, or one of the inverse is not below 2^(31 - F) / n. Then all of out is 0.
 */
#ifndef KERNEL_INVERT_H
#define KERNEL_INVERT_H

#include "fx.h"

enum fx_status fx_invert_scalar_floor_checked(const fx_t *a, fx_t *out, fx_t *work, uint32_t n);

#endif
