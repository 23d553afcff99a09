/*
 * out = a x + y on the vector unit, one scratchpad at a time. Scratchpad 0: a part of x, then of
 * the result. Scratchpad 1: a part of y. kernels/scale/vector.c of gnomon loads the next part while
 * it computes one.
 */
#define FX_SCRATCHPADS 2 /* as in kernel.yaml */
#include "fx_vector.h"

void @folder@_vector_floor_wrap(const fx_t *a, const fx_t *x, const fx_t *y, fx_t *out,
                                uint32_t length)
{
    const uint32_t factor = (uint32_t)(*a >> FX_PRE_SHIFT_B);
    vcu_set_mvtype(VCU_32_BIT);
    while (length != 0) {
        const uint32_t words = length < FX_SPM_WORDS ? length : FX_SPM_WORDS;
        const uint32_t bytes = 4u * words;
        kmemld(VCU_SPM(0), x, bytes);
        kmemld(VCU_SPM(1), y, bytes);
        vcu_set_mvsize(bytes);
        ksrav(VCU_SPM(0), VCU_SPM(0), FX_PRE_SHIFT_A);
        ksvmulrf(VCU_SPM(0), VCU_SPM(0), factor);
        ksrav(VCU_SPM(0), VCU_SPM(0), FX_POST_SHIFT);
        kaddv(VCU_SPM(0), VCU_SPM(0), VCU_SPM(1));
        kmemstr(out, VCU_SPM(0), bytes);
        x += words;
        y += words;
        out += words;
        length -= words;
    }
}
