/*
 * The same bits with rows times a vector on the vector unit. Its products keep 32 bits: without a
 * shift before them, and one after their sum, the sum is exact modulo 2^32, and as it is at most 1
 * this is the whole sum, for up to 15 fraction bits. Rows have room for all anchors; missing elements
 * are 0.
 */
#define FX_PRE_SHIFT_A 0
#define FX_PRE_SHIFT_B 0
#include "kernel_ucb.h"
#include "matvec/vector.c"

#if FX_FRACTION_BITS > 15
#error "kernel_ucb_vector.c: FX_FRACTION_BITS must be at most 15"
#endif

static inline void rows_times(fx_t a[MOST][MOST], const fx_t *x, fx_t *out, int whole)
{
    (void)whole;
    fx_matvec_vector_floor_wrap(a[0], x, out, learner_model.anchors, MOST);
    (void)*(volatile fx_t *)out; /* waits for the transfer */
}
