/*
 * out = exp(a), element by element, for arguments of 0 and below: weights of a softmax, Gaussian
 * kernels. out may be a. An argument above 0 gives an undefined number, and the status
 * FX_UNDEFINED; other elements are not affected.
 */
#ifndef KERNEL_EXP_H
#define KERNEL_EXP_H

#include "fx.h"

/* By fx_exp.h: rounded to nearest, error at most half a step and 2^-29. */
enum fx_status fx_exp_scalar_nearest_checked(const fx_t *a, fx_t *out, uint32_t count);

/*
 * On the vector unit, with 15 fraction bits for every format: error at most 2^-13 and one
 * step. A larger argument may give a result that is smaller by up to 2^-14. Below -16 the result
 * is that of -16, 0 within 15 bits. F is at most 26. One hart at a time where harts share the
 * unit; all four scratchpads.
 */
enum fx_status fx_exp_vector_nearest_checked(const fx_t *a, fx_t *out, uint32_t count);

#endif
