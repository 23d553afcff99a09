/* Rank-k updates on the vector unit: what outer, sherman_morrison and woodbury share. */
#ifndef FX_RANK_VECTOR_H
#define FX_RANK_VECTOR_H

#include "fx_vector.h"

struct fx_rank_update {
    const fx_t *a;     /* rows x columns */
    const fx_t *left;  /* rank x rows */
    const fx_t *right; /* rank x columns */
    fx_t *out;         /* rows x columns; may be a */
    uint32_t rows, columns, rank;
    int scaled; /* multiply left by `scale` first */
    fx_t scale;
    int subtract;
};

/*
 * out = a +- transposed(scale left) * right, by the shifts of fx_vector.h: left (its a) times scale
 * (its b); then left (its a) times right (its b), summed over the rank and shifted. Sums wrap
 * before the shift. The rank must be below half the words of a scratchpad.
 */
void fx_rank_update_vector(const struct fx_rank_update *update);

#endif
