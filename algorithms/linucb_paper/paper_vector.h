/*
 * Matrix kernels of the paper code on the vector unit. docs/notes/paper-code.md states them; the terms
 * "tile" and "resident" apply to operands larger than a scratchpad.
 *
 * Only results in memory leave a kernel. Transfers run in the background, and a load or store of
 * the integer core waits for them. MVTYPE keeps its reset value, 32 bits.
 */
#ifndef PAPER_VECTOR_H
#define PAPER_VECTOR_H

#include "paper_fixed.h"
#include "paper_loop.h"
#include "vcu.h"

#if !VCU_HAS_DIVIDE || !VCU_HAS_POSTSCALE
#error "paper_vector.h: the machine needs vector division and post-scaled products (kdiv, kps)"
#endif
#if FX_FRACTION_BITS != 15 || VCU_POSTSCALE_SHIFT != 15
#error "paper_vector.h: FX_FRACTION_BITS and the post-scale of the machine must be 15"
#endif
#if VCU_SPM_COUNT < 4
#error "paper_vector.h: the vector kernels need four scratchpads"
#endif

#define PAPER_INLINE static inline __attribute__((always_inline))

enum {
    THIRD_SHIFT = 5,                   /* of 5 + 5 + 5 */
    DIVIDEND_SHIFT = 2 * THIRD_SHIFT,  /* the divisor takes the last third */
    SPM_WORDS = VCU_SPM_BYTES / 4,
};

#define SPM_A VCU_SPM(0)
#define SPM_B VCU_SPM(1)
#define SPM_C VCU_SPM(2)
#define SPM_D VCU_SPM(3)

PAPER_INLINE uint32_t fewer(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

PAPER_INLINE void vector_add(const fx_t *a, const fx_t *b, fx_t *out, uint32_t words)
{
    PAPER_ROLLED for (uint32_t at = 0; at < words; at += SPM_WORDS)
    {
        const uint32_t bytes = 4 * fewer(words - at, SPM_WORDS);
        vcu_set_mvsize(bytes);
        kbcast(SPM_A, 0);
        kbcast(SPM_B, 0);
        kbcast(SPM_C, 0);
        kmemld(SPM_A, a + at, bytes);
        kmemld(SPM_B, b + at, bytes);
        vcu_set_mvsize(bytes);
        kaddv(SPM_C, SPM_A, SPM_B);
        kmemstr(out + at, SPM_C, bytes);
    }
}

/* (r x m)(m x c), for each tile of columns of b that fits a scratchpad. A: b, B: sum, C: product. */
PAPER_INLINE void vector_multiply(const fx_t *a, const fx_t *b, fx_t *out, uint32_t r, uint32_t m,
                                  uint32_t c)
{
    const uint32_t tile = fewer(c, SPM_WORDS / m);
    PAPER_ROLLED for (uint32_t at = 0; at < c; at += tile)
    {
        const uint32_t width = fewer(c - at, tile), bytes = 4 * width;
        vcu_set_mvsize(m * bytes);
        kbcast(SPM_A, 0);
        vcu_set_mvsize(bytes);
        kbcast(SPM_C, 0);
        vcu_set_mvsize(4 * fewer(r * width, SPM_WORDS));
        kbcast(SPM_B, 0);
        vcu_set_mvsize(m * bytes);
        if (width == c) {
            kmemld(SPM_A, b, m * bytes);
        } else {
            FOR(row, m) kmemld(SPM_A + row * bytes, b + row * c + at, bytes);
        }
        vcu_set_mvsize(bytes);
        FOR(i, r)
        {
            kbcast(SPM_B, 0);
            FOR(inner, m)
            {
                ksvmulpsrf(SPM_C, SPM_A + inner * bytes, (uint32_t)a[i * m + inner]);
                kaddv(SPM_B, SPM_B, SPM_C);
            }
            kmemstr(out + i * c + at, SPM_B, bytes);
        }
    }
}

PAPER_INLINE uint32_t scaled_divisor(fx_t divisor)
{
    return (uint32_t)(divisor >> THIRD_SHIFT);
}

#ifdef PAPER_SOFTWARE_DIVISION
/* As in the public library, whose unit has no division: the integer core divides, in memory. */
PAPER_INLINE void divide_words(fx_t *out, const fx_t *a, fx_t divisor, uint32_t words)
{
    PAPER_ROLLED for (uint32_t i = 0; i < words; ++i) out[i] = paper_divide(a[i], divisor);
}
#endif

/* MVSIZE bytes of target = dividend / divisor. target and dividend not in C or D. */
PAPER_INLINE void vector_quotient(uint32_t target, uint32_t dividend, fx_t divisor)
{
    ksvmulrf(SPM_C, dividend, 1u << DIVIDEND_SHIFT);
    kbcast(SPM_D, scaled_divisor(divisor));
    kvdiv(target, SPM_C, SPM_D);
}

PAPER_INLINE void vector_divide(const fx_t *a, fx_t scalar, fx_t *out, uint32_t words)
{
#ifdef PAPER_SOFTWARE_DIVISION
    divide_words(out, a, scalar, words);
#else
    PAPER_ROLLED for (uint32_t at = 0; at < words; at += SPM_WORDS)
    {
        const uint32_t bytes = 4 * fewer(words - at, SPM_WORDS);
        vcu_set_mvsize(bytes);
        kmemld(SPM_A, a + at, bytes);
        vector_quotient(SPM_B, SPM_A, scalar);
        kmemstr(out + at, SPM_B, bytes);
    }
#endif
}

#endif
