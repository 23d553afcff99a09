/*
 * Scratchpads of generated learners on a vector unit: 0 and 1 take matrices in turn, 2 products, 3
 * short vectors: the scaled context, another one, and results.
 */
#ifndef ONCE_PADS_H
#define ONCE_PADS_H

#include "once_products.h"
#include "vcu.h"

#if VCU_SPM_COUNT < 4
#error "once_pads.h: four scratchpads are needed"
#endif

#define ONCE_ROW (4u * LEARNER_D)
#define ONCE_MATRIX (ONCE_ROW * LEARNER_D)
#define ONCE_SCALED VCU_SPM(3)
#define ONCE_SHIFTED (VCU_SPM(3) + ONCE_ROW)
#define ONCE_RESULTS (VCU_SPM(3) + 2u * ONCE_ROW)
#define ONCE_PRODUCTS VCU_SPM(2)

_Static_assert(ONCE_MATRIX <= VCU_SPM_BYTES, "LEARNER_D: a matrix must fit a scratchpad");
_Static_assert(ONCE_ROW * LEARNER_ARMS <= VCU_SPM_BYTES, "a row of each arm must fit a scratchpad");
_Static_assert(3u * ONCE_ROW + 4u * LEARNER_ARMS <= VCU_SPM_BYTES, "four vectors must fit");

/* Computes x here: the compiler has no cost model of vector instructions. */
#define ONCE_HERE(x) __asm__ volatile("" : "+r"(x))

/* The context in scratchpad 3 is scaled by 2^once_exponent. */
static int32_t once_exponent;
static const fx_t *once_loaded; /* matrix in scratchpad 0, if it is known */

/* A number shifted right; to the left below 0, where it saturates. */
ONCE_INLINE int64_t once_right(int64_t a, int32_t by)
{
    return by < 0 ? once_up(a, (uint32_t)-by) : a >> (by > 63 ? 63 : by);
}

/* Words that kmemstr wrote: a load waits for the transfer. */
ONCE_INLINE void once_take(fx_t *words, uint32_t count)
{
    kmemstr(words, ONCE_RESULTS, 4u * count);
    (void)*(volatile fx_t *)words;
}

#endif
