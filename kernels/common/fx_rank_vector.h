/* Rank-k updates on the vector unit, for outer, sherman_morrison and woodbury. */
#ifndef FX_RANK_VECTOR_H
#define FX_RANK_VECTOR_H

#include "fx_vector.h"

struct fx_rank_update {
    const fx_t *a;     /* rows x columns */
    const fx_t *left;  /* rank x rows */
    const fx_t *right; /* rank x columns */
    fx_t *out;         /* rows x columns; may be a */
    uint32_t rows, columns, rank;
    int scaled; /* multiply left by `factor` first, and shift the product by `shift` */
    uint32_t factor, shift;
    int subtract;
};

/*
 * out = a +- transposed(left) * right, by the shifts of fx_vector.h: left is its a, right its b;
 * products are summed over the rank and shifted. Sums wrap before the shift. Before the sums left may
 * be scaled: shifted by FX_PRE_SHIFT_A, multiplied, shifted by `shift`; this wraps as well. The
 * rank must be below half the words of a scratchpad.
 */
void fx_rank_update_vector(const struct fx_rank_update *update);

#endif
