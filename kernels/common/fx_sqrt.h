/* Square root of a nonnegative number, rounded down: exact. */
#ifndef FX_SQRT_H
#define FX_SQRT_H

#include "fx.h"

fx_t fx_sqrt(fx_t value);

#endif
