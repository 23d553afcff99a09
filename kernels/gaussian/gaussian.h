/*
 * out_i = exp(-g |a_i - x|^2) for the rows a_i of a (rows x columns): the values of a Gaussian kernel
 * between x and some points; g is 1 / (2 w^2) of its width w. columns is at least 1.
 *
 * Returns FX_UNDEFINED for a g below 0, and FX_OVERFLOW if a number is found to leave the range;
 * out is then zeros.
 */
#ifndef KERNEL_GAUSSIAN_H
#define KERNEL_GAUSSIAN_H

#include "fx.h"

/*
 * Squares are summed in 64 bits; the sum and its product with g are rounded down once each, the
 * exponential as in fx_exp.h. F is at most 27. Differences must be below 2^(31 - F) / columns
 * (columns rounded up to a power of two) and |a_i - x|^2 below 2^(31 - F), else FX_OVERFLOW.
 */
enum fx_status fx_gaussian_scalar_nearest_checked(const fx_t *a, const fx_t *x, const fx_t *g,
                                                  fx_t *out, uint32_t rows, uint32_t columns);

/*
 * On the vector unit, by the shifts of fx_vector.h, all of which round down: squares (a difference is
 * its own a and b), then |a_i - x|^2 (its a) times g (its b); the exponential in 15 bits as of
 * exp/exp.h. A sum or product wraps before its last shift, so |a_i - x|^2, and that times g, must
 * lie below 2^(31 - F - FX_POST_SHIFT), 2048 by default; the status does not report this. A row must
 * fit a scratchpad, else FX_TOO_LARGE. F is at most 26. One hart at a time where harts share the unit;
 * all four scratchpads.
 */
enum fx_status fx_gaussian_vector_nearest_checked(const fx_t *a, const fx_t *x, const fx_t *g,
                                                  fx_t *out, uint32_t rows, uint32_t columns);

#endif
