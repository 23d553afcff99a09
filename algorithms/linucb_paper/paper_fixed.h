/*
 * Arithmetic of the paper code. Frozen with it, so nothing here is shared with kernels/.
 *
 * Signed 32 bit, FX_FRACTION_BITS of them after the binary point. Everything wraps modulo 2^32.
 * With PAPER_COUNT_OVERFLOWS, for experiments on the host, each operation whose exact result does
 * not fit is counted in paper_overflows, by kind; results stay the same.
 */
#ifndef PAPER_FIXED_H
#define PAPER_FIXED_H

#include <stdint.h>

typedef int32_t fx_t;

#ifndef FX_FRACTION_BITS
#define FX_FRACTION_BITS 15
#endif
#if FX_FRACTION_BITS < 1 || FX_FRACTION_BITS > 29
#error "paper_fixed.h: FX_FRACTION_BITS must be from 1 to 29, for the square root"
#endif

#define FX_ONE ((fx_t)1 << FX_FRACTION_BITS)

#ifdef PAPER_COUNT_OVERFLOWS
enum paper_overflow {
    PAPER_ADD,
    PAPER_SUBTRACT,
    PAPER_MULTIPLY,
    PAPER_DIVIDE,
    PAPER_DIVIDE_BY_ZERO,
    PAPER_ROOT_OF_NEGATIVE,
    PAPER_OVERFLOW_KINDS
};
extern uint64_t paper_overflows[PAPER_OVERFLOW_KINDS];
#define PAPER_CHECK(kind, exact) \
    (paper_overflows[kind] += (exact) != (int64_t)(fx_t)(uint32_t)(uint64_t)(exact))
#else
#define PAPER_CHECK(kind, exact) ((void)0)
#endif

static inline fx_t paper_add(fx_t a, fx_t b)
{
    PAPER_CHECK(PAPER_ADD, (int64_t)a + (int64_t)b);
    return (fx_t)((uint32_t)a + (uint32_t)b);
}

static inline fx_t paper_subtract(fx_t a, fx_t b)
{
    PAPER_CHECK(PAPER_SUBTRACT, (int64_t)a - (int64_t)b);
    return (fx_t)((uint32_t)a - (uint32_t)b);
}

/* 64-bit product divided by 2^FX_FRACTION_BITS towards zero, low 32 bits. */
static inline fx_t paper_multiply(fx_t a, fx_t b)
{
    const int64_t product = (int64_t)a * (int64_t)b / ((int64_t)1 << FX_FRACTION_BITS);
    PAPER_CHECK(PAPER_MULTIPLY, product);
    return (fx_t)(uint32_t)(uint64_t)product;
}

/*
 * (a << FX_FRACTION_BITS) / b towards zero, low 32 bits. b = 0 gives the largest number for
 * a >= 0 and the smallest for a < 0, and counts as an overflow.
 */
fx_t paper_divide(fx_t a, fx_t b);

/* Square root, rounded to nearest. a < 0 gives 0, and counts as an overflow. */
fx_t paper_square_root(fx_t a);

#endif
