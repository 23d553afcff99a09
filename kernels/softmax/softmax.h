/*
 * out = exp(a_i - largest) / sum of exp(a_j - largest): probabilities, sum 1 within rounding. out may
 * be a. No number leaves the range for any a; only the sum can, of 2^(31 - F) elements and
 * more: then FX_OVERFLOW, and zeros.
 */
#ifndef KERNEL_SOFTMAX_H
#define KERNEL_SOFTMAX_H

#include "fx.h"

/* Exponentials as in fx_exp.h, divided by a reciprocal of 31 bits, rounded down. */
enum fx_status fx_softmax_scalar_floor_checked(const fx_t *a, fx_t *out, uint32_t count);

/*
 * Exponentials in 15 bits, as of exp/exp.h, and a reciprocal of 15 bits; the probability of a larger
 * number may be smaller by up to 2^-14. F is at most 26. The integer core finds the largest number
 * and divides once. One hart at a time where harts share the unit; all four scratchpads.
 */
enum fx_status fx_softmax_vector_floor_checked(const fx_t *a, fx_t *out, uint32_t count);

#endif
