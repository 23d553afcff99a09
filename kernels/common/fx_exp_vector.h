/*
 * exp on the vector unit, for one chunk in the scratchpads; exp, softmax and gaussian use it.
 *
 * The unit has no table and one shift for all elements. So exp(-y), for y below 16, is a product of
 * exp(-8), exp(-4), exp(-2) and exp(-1), each for the elements that are not below 8, 4, 2 and 1,
 * and of a polynomial of the rest. Numbers have 15 bits: their products fit 32.
 */
#ifndef FX_EXP_VECTOR_H
#define FX_EXP_VECTOR_H

#include "fx_vector.h"

#if FX_FRACTION_BITS > 26
#error "fx_exp_vector.h: FX_FRACTION_BITS must be at most 26: 16 must be a number"
#endif

enum { FX_EXP_BITS = 15, FX_EXP_LOWEST = 16 };

/* exp(-8), exp(-4), exp(-2), exp(-1); 1 + c1 z + ... + c4 z^4, error at most 3e-5 up to 1; Q15 */
static const uint16_t fx_exp_digits[4] = {11, 600, 4435, 12055};
static const int32_t fx_exp_coefficients[4] = {-32756, 16261, -5069, 851};

#define FX_EXP_Y VCU_SPM(0)
#define FX_EXP_PRODUCT VCU_SPM(1)
#define FX_EXP_MASK VCU_SPM(2)
#define FX_EXP_TERM VCU_SPM(3)

static inline void fx_shift_rounded(uint32_t at, uint32_t right)
{
    if (right != 0) {
        ksvaddrf(at, at, 1u << right >> 1);
        ksrav(at, at, right);
    }
}

/* Multiplies by exp(-digit) where y is not below the digit, and subtracts the digit from y. */
static inline void fx_exp_take_digit(uint32_t digit, uint32_t factor, int first)
{
    const uint32_t step = digit << FX_FRACTION_BITS;
    ksvslt(FX_EXP_MASK, FX_EXP_Y, step);
    ksvaddrf(FX_EXP_Y, FX_EXP_Y, 0u - step);
    ksvmulrf(FX_EXP_TERM, FX_EXP_MASK, step);
    kaddv(FX_EXP_Y, FX_EXP_Y, FX_EXP_TERM);
    const uint32_t to = first ? FX_EXP_PRODUCT : FX_EXP_TERM;
    ksvmulrf(to, FX_EXP_MASK, (1u << FX_EXP_BITS) - factor);
    ksvaddrf(to, to, factor);
    if (!first) {
        kvmul(FX_EXP_PRODUCT, FX_EXP_PRODUCT, FX_EXP_TERM);
        fx_shift_rounded(FX_EXP_PRODUCT, FX_EXP_BITS);
    }
}

/* FX_EXP_PRODUCT becomes exp(y - 16) of FX_EXP_Y, which is 0 or more; above 16 it is 1. */
static inline void fx_exp_above_lowest(void)
{
    ksvmulrf(FX_EXP_Y, FX_EXP_Y, 0u - 1u);
    ksvaddrf(FX_EXP_Y, FX_EXP_Y, (uint32_t)FX_EXP_LOWEST << FX_FRACTION_BITS);
    krelu(FX_EXP_Y, FX_EXP_Y);
    for (uint32_t i = 0; i < 4u; ++i) {
        fx_exp_take_digit(8u >> i, fx_exp_digits[i], i == 0);
    }
#if FX_FRACTION_BITS < 15
    ksvmulrf(FX_EXP_Y, FX_EXP_Y, 1u << (FX_EXP_BITS - FX_FRACTION_BITS));
#else
    fx_shift_rounded(FX_EXP_Y, FX_FRACTION_BITS - FX_EXP_BITS);
#endif
    ksvmulrf(FX_EXP_TERM, FX_EXP_Y, (uint32_t)fx_exp_coefficients[3]);
    for (uint32_t i = 3; i-- != 0;) {
        ksvaddrf(FX_EXP_TERM, FX_EXP_TERM,
                 ((uint32_t)fx_exp_coefficients[i] << FX_EXP_BITS) + (1u << FX_EXP_BITS >> 1));
        ksrav(FX_EXP_TERM, FX_EXP_TERM, FX_EXP_BITS);
        kvmul(FX_EXP_TERM, FX_EXP_TERM, FX_EXP_Y);
    }
    ksvaddrf(FX_EXP_TERM, FX_EXP_TERM, (1u << 2 * FX_EXP_BITS) + (1u << FX_EXP_BITS >> 1));
    ksrav(FX_EXP_TERM, FX_EXP_TERM, FX_EXP_BITS);
    kvmul(FX_EXP_PRODUCT, FX_EXP_PRODUCT, FX_EXP_TERM);
    fx_shift_rounded(FX_EXP_PRODUCT, 2u * FX_EXP_BITS - FX_FRACTION_BITS);
}

/* The same for exp(y): arguments below -16 count as -16, those above 0 as 0. */
static inline void fx_exp_chunk(void)
{
    ksvaddrf(FX_EXP_Y, FX_EXP_Y, (uint32_t)FX_EXP_LOWEST << FX_FRACTION_BITS);
    krelu(FX_EXP_Y, FX_EXP_Y);
    fx_exp_above_lowest();
}

#endif
