/*
 * The unit has no table and one shift for all elements. So exp(-y), for y below 16, is a product of
 * exp(-8), exp(-4), exp(-2) and exp(-1), each for the elements that are not below 8, 4, 2 and 1,
 * and of a polynomial of what is left. Numbers of 15 bits: their products fit 32.
 */
#include "fx_vector.h"
#include "kernel_exp.h"

#if FX_FRACTION_BITS > 26
#error "kernel_exp_vector.c: FX_FRACTION_BITS must be at most 26: 16 must be a number"
#endif

enum { BITS = 15, LOWEST = 16 };

/* exp(-8), exp(-4), exp(-2), exp(-1); 1 + c1 z + ... + c4 z^4, off by at most 3e-5 up to 1; Q15 */
static const uint16_t digits[4] = {11, 600, 4435, 12055};
static const int32_t coefficients[4] = {-32756, 16261, -5069, 851};

#define Y VCU_SPM(0)
#define PRODUCT VCU_SPM(1)
#define MASK VCU_SPM(2)
#define TERM VCU_SPM(3)
#define IN_RANGE (VCU_SPM(3) + VCU_SPM_BYTES - 4u) /* one word: how many */

static void shift_rounded(uint32_t at, uint32_t right)
{
    if (right != 0) {
        ksvaddrf(at, at, 1u << right >> 1);
        ksrav(at, at, right);
    }
}

/* Multiplies by exp(-digit) where y is not below the digit, and takes that from y. */
static void take_digit(uint32_t digit, uint32_t factor, int first)
{
    const uint32_t step = digit << FX_FRACTION_BITS;
    ksvslt(MASK, Y, step);
    ksvaddrf(Y, Y, 0u - step);
    ksvmulrf(TERM, MASK, step);
    kaddv(Y, Y, TERM);
    const uint32_t to = first ? PRODUCT : TERM;
    ksvmulrf(to, MASK, (1u << BITS) - factor);
    ksvaddrf(to, to, factor);
    if (!first) {
        kvmul(PRODUCT, PRODUCT, TERM);
        shift_rounded(PRODUCT, BITS);
    }
}

static void exp_of_chunk(void)
{
    ksvslt(MASK, Y, 1u);
    kvred(IN_RANGE, MASK);
    ksvaddrf(Y, Y, (uint32_t)LOWEST << FX_FRACTION_BITS);
    krelu(Y, Y);
    ksvmulrf(Y, Y, 0u - 1u);
    ksvaddrf(Y, Y, (uint32_t)LOWEST << FX_FRACTION_BITS);
    krelu(Y, Y);
    for (uint32_t i = 0; i < 4u; ++i) {
        take_digit(8u >> i, digits[i], i == 0);
    }
#if FX_FRACTION_BITS < 15
    ksvmulrf(Y, Y, 1u << (BITS - FX_FRACTION_BITS));
#else
    shift_rounded(Y, FX_FRACTION_BITS - BITS);
#endif
    ksvmulrf(TERM, Y, (uint32_t)coefficients[3]);
    for (uint32_t i = 3; i-- != 0;) {
        ksvaddrf(TERM, TERM, ((uint32_t)coefficients[i] << BITS) + (1u << BITS >> 1));
        ksrav(TERM, TERM, BITS);
        kvmul(TERM, TERM, Y);
    }
    ksvaddrf(TERM, TERM, (1u << 2 * BITS) + (1u << BITS >> 1));
    ksrav(TERM, TERM, BITS);
    kvmul(PRODUCT, PRODUCT, TERM);
    shift_rounded(PRODUCT, 2u * BITS - FX_FRACTION_BITS);
}

enum fx_status fx_exp_vector_nearest_checked(const fx_t *a, fx_t *out, uint32_t count)
{
    static volatile uint32_t in_range;
    uint32_t found = 0;
    vcu_set_mvtype(VCU_32_BIT);
    for (uint32_t done = 0; done < count;) {
        const uint32_t most = FX_SPM_WORDS - 1u;
        const uint32_t words = count - done < most ? count - done : most;
        kmemld(Y, a + done, 4u * words);
        vcu_set_mvsize(4u * words);
        exp_of_chunk();
        kmemstr((void *)(uintptr_t)&in_range, IN_RANGE, 4u);
        kmemstr(out + done, PRODUCT, 4u * words);
        found += in_range;
        done += words;
    }
    return found == count ? FX_OK : FX_UNDEFINED;
}
