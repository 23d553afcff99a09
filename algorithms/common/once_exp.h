/* Exponentials of generated learners: exp(-size 2^-24), Q24; sizes below 0 count as 0. */
#ifndef ONCE_EXP_H
#define ONCE_EXP_H

#include "fx.h"

fx_t once_exp_of_minus(int64_t size);

#endif
