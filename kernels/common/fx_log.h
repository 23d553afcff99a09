/* ln of a number above 0. */
#ifndef FX_LOG_H
#define FX_LOG_H

#include "fx.h"

#if FX_FRACTION_BITS > 26
#error "fx_log.h: FX_FRACTION_BITS must be at most 26: logarithms go to -18"
#endif

/* ln(value 2^-F), for value from 1 up. Rounded to nearest; error at most half a step and 2^-27. No
 * division; 6 products of 32 bits. */
fx_t fx_log_of(uint32_t value);

#endif
