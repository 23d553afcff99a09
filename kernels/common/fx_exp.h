/* exp of a number of 0 or below. */
#ifndef FX_EXP_H
#define FX_EXP_H

#include "fx.h"

/*
 * exp(-size 2^-F): 1 for 0, and less for more. Rounded to nearest; error at most half a step and
 * 2^-29. No division; 8 products of 32 bits.
 */
fx_t fx_exp_of_minus(uint32_t size);

#endif
