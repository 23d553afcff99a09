/*
 * *index = index of the largest of `count` numbers; the lowest such index if there are several,
 * 0 if count is 0. No vector version: the vector unit has no maximum, and a comparison with one
 * number at a time gives no more than a scan.
 */
#ifndef KERNEL_ARGMAX_H
#define KERNEL_ARGMAX_H

#include "fx.h"

void fx_argmax_scalar_exact(const fx_t *a, fx_t *index, uint32_t count);

#endif
