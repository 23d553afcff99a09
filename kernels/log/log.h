/*
 * out = ln(a), element by element; out may be a. By fx_log.h: rounded to nearest, error at most half
 * a step and 2^-27. The logarithm of 0 or less is the smallest number, and the status FX_UNDEFINED;
 * other elements are not affected. F is at most 26.
 */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include "fx.h"

enum fx_status fx_log_scalar_nearest_checked(const fx_t *a, fx_t *out, uint32_t count);

#endif
