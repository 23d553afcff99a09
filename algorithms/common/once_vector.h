/* Products of generated learners on a vector unit with post-scaled products. */
#ifndef ONCE_VECTOR_H
#define ONCE_VECTOR_H

#include "once_pads.h"

#if !VCU_HAS_POSTSCALE || VCU_POSTSCALE_SHIFT != 15
#error "once_vector.h: the machine needs post-scaled products (kps) of 15 bits"
#endif

/* Scales the context to Q30, with a norm of at most 1. `squares`: upper words of the squares of x,
   and one each. */
static void once_scale_context(const fx_t *x, uint32_t squares)
{
    once_exponent = ((int32_t)fx_leading_zeros(squares) - 4) >> 1;
    once_loaded = 0;
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(ONCE_ROW);
    kmemld(ONCE_SCALED, x, ONCE_ROW);
    if (once_exponent < 0) {
        ksrav(ONCE_SCALED, ONCE_SCALED, (uint32_t)-once_exponent);
    } else {
        ksvmulrf(ONCE_SCALED, ONCE_SCALED, 1u << once_exponent);
    }
}

/* sums[k] = y^T A_k y of `count` matrices in a row. Each is loaded while the one before is summed. */
static void once_vector_quads(fx_t *sums, const fx_t *a, const fx_t *x, uint32_t count,
                              uint32_t pre)
{
    const uint32_t up = once_exponent < 0 ? 0u : (uint32_t)once_exponent;
    const uint32_t down = once_exponent < 0 ? (uint32_t)-once_exponent : 0u;
    once_loaded = 0;
    uint32_t here = VCU_SPM(0), other = VCU_SPM(1), result = ONCE_RESULTS;
    kmemld(here, a, ONCE_MATRIX);
    vcu_set_mvsize(ONCE_ROW);
    ksrav(ONCE_SHIFTED, ONCE_SCALED, 7);
    uint32_t row = ONCE_PRODUCTS;
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        ksvmulpsrf(row, ONCE_SHIFTED, (uint32_t)(once_left(x[i], up) >> down >> 8));
        row += ONCE_ROW;
        ONCE_HERE(row);
    }
    vcu_set_mvsize(ONCE_MATRIX);
    if (pre != 0) {
        ksrav(ONCE_PRODUCTS, ONCE_PRODUCTS, pre);
    }
    for (uint32_t k = 1; k <= count; ++k) {
        a += LEARNER_D * LEARNER_D;
        if (k < count) {
            kmemld(other, a, ONCE_MATRIX);
        }
        kvmulps(here, here, ONCE_PRODUCTS);
        kvred(result, here);
        result += 4;
        const uint32_t swap = here;
        here = other;
        other = swap;
    }
    once_take(sums, count);
}

/* sums[k] = w_k^T y of `count` vectors in a row. */
static void once_vector_dots(fx_t *sums, const fx_t *w, uint32_t count, uint32_t pre)
{
    uint32_t row = VCU_SPM(1), result = ONCE_RESULTS;
    kmemld(VCU_SPM(1), w, ONCE_ROW * count);
    vcu_set_mvsize(ONCE_ROW);
    ksrav(ONCE_SHIFTED, ONCE_SCALED, pre);
    for (uint32_t k = 0; k < count; ++k) {
        kvmulps(ONCE_PRODUCTS, row, ONCE_SHIFTED);
        kvred(result, ONCE_PRODUCTS);
        row += ONCE_ROW;
        ONCE_HERE(row);
        result += 4;
        ONCE_HERE(result);
    }
    once_take(sums, count);
}

/* out = A y, shifted right by `down`, at most `limit` in magnitude. */
static void once_vector_rows(fx_t *out, const fx_t *a, uint32_t pre, int32_t down, fx_t limit)
{
    uint32_t row = VCU_SPM(0), result = ONCE_RESULTS;
    if (once_loaded != a) {
        kmemld(VCU_SPM(0), a, ONCE_MATRIX);
        once_loaded = a;
    }
    vcu_set_mvsize(ONCE_ROW);
    ksrav(ONCE_SHIFTED, ONCE_SCALED, pre);
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        kvmulps(ONCE_PRODUCTS, row, ONCE_SHIFTED);
        kvred(result, ONCE_PRODUCTS);
        row += ONCE_ROW;
        ONCE_HERE(row);
        result += 4;
        ONCE_HERE(result);
    }
    const uint32_t moves = down >= 0 && down < 32 && limit == INT32_MAX;
    if (moves) {
        ksrav(ONCE_RESULTS, ONCE_RESULTS, (uint32_t)down);
    }
    once_take(out, LEARNER_D);
    if (!moves) {
        for (uint32_t i = 0; i < LEARNER_D; ++i) {
            out[i] = once_fit(once_right(out[i], down), limit);
        }
    }
}

/* A + sign (w >> pre) y^T 2^-15, at most `limit` in magnitude, which is at most 2^29. */
static void once_vector_outer(fx_t *a, const fx_t *w, const fx_t *y, uint32_t pre, int32_t sign,
                              fx_t limit)
{
    const uint32_t rooms = fx_leading_zeros(once_bits(w, LEARNER_D)) +
                           fx_leading_zeros(once_bits(y, LEARNER_D)) + pre;
    if (rooms < 20) { /* a product could exceed 2^29 */
        once_loaded = 0;
        once_outer_wide(a, w, y, LEARNER_D, LEARNER_D, 0, 0, pre, 15, sign, limit);
        return;
    }
    kmemld(ONCE_SHIFTED, y, ONCE_ROW);
    if (once_loaded != a) {
        kmemld(VCU_SPM(0), a, ONCE_MATRIX);
        once_loaded = a;
    }
    vcu_set_mvsize(ONCE_ROW);
    uint32_t row = ONCE_PRODUCTS;
    for (uint32_t i = 0; i < LEARNER_D; ++i) {
        ksvmulpsrf(row, ONCE_SHIFTED, (uint32_t)(w[i] >> pre));
        row += ONCE_ROW;
        ONCE_HERE(row);
    }
    vcu_set_mvsize(ONCE_MATRIX);
    if (sign < 0) {
        ksubv(VCU_SPM(0), ONCE_PRODUCTS, VCU_SPM(0));
    } else {
        kaddv(VCU_SPM(0), ONCE_PRODUCTS, VCU_SPM(0));
        ksvmulrf(VCU_SPM(0), VCU_SPM(0), UINT32_MAX);
    }
    /* From -a: 2 limit - max(limit - a, 0), at least 0, less the limit. */
    ksvaddrf(VCU_SPM(0), VCU_SPM(0), (uint32_t)limit);
    krelu(VCU_SPM(0), VCU_SPM(0));
    ksvmulrf(VCU_SPM(0), VCU_SPM(0), UINT32_MAX);
    ksvaddrf(VCU_SPM(0), VCU_SPM(0), 2u * (uint32_t)limit);
    krelu(VCU_SPM(0), VCU_SPM(0));
    ksvaddrf(VCU_SPM(0), VCU_SPM(0), (uint32_t)-limit);
    kmemstr(a, VCU_SPM(0), ONCE_MATRIX);
}

#endif
