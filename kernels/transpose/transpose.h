/*
 * out (columns x rows) = a (rows x columns) transposed; row by row in memory. Words move
 * unchanged. out must not overlap a.
 *
 * There is no vector version: a transfer of one word costs three cycles and two address steps of
 * three cycles each, nine in all, and the integer core moves a word in 7 and a share of its loop.
 */
#ifndef KERNEL_TRANSPOSE_H
#define KERNEL_TRANSPOSE_H

#include "fx.h"

void fx_transpose_scalar_exact(const fx_t *a, fx_t *out, uint32_t rows, uint32_t columns);

#endif
