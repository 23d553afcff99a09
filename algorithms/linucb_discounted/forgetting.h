/*
 * Forgetting of the disjoint learner, before a reward is learned: every arm, whether or not it was
 * played, has
 *     A' = gamma A + c e_i e_i^T,   c = d (1 - gamma),   b' = gamma b,
 * i the next coordinate in turn. D-LinUCB adds (1 - gamma) I in every round; the cyclic term adds the
 * same in d rounds, and keeps the inverse: with u = A^-1 e_i / gamma and w = c u / (1 + c u_i),
 *     A'^-1 = A^-1 / gamma - w u^T,   theta' = theta - w theta_i.
 *
 * The term keeps A^-1 within gamma^-d times the identity, so that below 2 all sums of
 * linucb_disjoint_tuned.c still fit a word. Without it, A^-1 grows by 1 / gamma in each round in the
 * directions that no context has. Rounding errors fade like the past.
 *
 * As A^-1 grows again, so the scale of the stored matrix, 4^scale A^-1, has to fall: where the trace
 * reaches 1.5, which the growth of the scale leaves at most at 1.
 */
#ifndef FORGETTING_H
#define FORGETTING_H

#include "scaled.h"

/* LEARNER_FORGETTING: 1 / gamma - 1 in steps of 2^-15; 331 is a gamma of 0.99. */
_Static_assert(LEARNER_FORGETTING >= 1 && LEARNER_FORGETTING < 8192,
               "LEARNER_FORGETTING: 1 to 8191, a gamma above 0.8");
_Static_assert(SCALED_D * LEARNER_FORGETTING < 22713,
               "LEARNER_FORGETTING: gamma^-LEARNER_D must be below 2");

enum { LARGEST_TRACE = 3 << (TRACE_BITS - 1) };

/* c, Q31: d f / (1 + f), f of LEARNER_FORGETTING; below ln 2. */
#define RENEWED \
    ((int32_t)(((uint64_t)SCALED_D * LEARNER_FORGETTING << 31) / (32768u + LEARNER_FORGETTING)))

/* c / (4^scale + c u_i) of the stored matrix, Q31; a negative u_i counts as 0. */
INLINE int32_t gain_of_renewal(fx_t diagonal, int32_t scale)
{
    const uint32_t positive = diagonal < 0 ? 0u : (uint32_t)diagonal;
    const uint32_t product = (uint32_t)(((uint64_t)RENEWED * positive) >> 31);
    const uint32_t denominator = INVERSE_ONE + (product >> (2 * scale)); /* Q30, below 2^32 */
    const uint32_t factor = 0xffffffffu / (denominator >> 15);           /* of 17 bits */
    return (int32_t)((((uint64_t)RENEWED * factor) >> 17) >> (2 * scale));
}

/* value / gamma, rounded down. */
INLINE fx_t grown(fx_t value)
{
    return (fx_t)((uint32_t)value + (uint32_t)high(value, LEARNER_FORGETTING << 17));
}

/* An element of w, Q31, below 0.6. */
INLINE int32_t weight_of_renewal(int32_t gain, fx_t of_column)
{
    return (int32_t)(uint32_t)((uint64_t)((int64_t)gain * of_column) >> 30);
}

/* theta -= w theta_i, to nearest. */
INLINE void forget_weight(fx_t *theta, int32_t weight, fx_t own)
{
    const int64_t change = (int64_t)weight * own + (1 << 30);
    *theta = (fx_t)((uint32_t)*theta - (uint32_t)((uint64_t)change >> 31));
}

/* One round of an arm: `inverse` is its lower triangle, row after row. */
INLINE void forget(fx_t *inverse, fx_t *theta, int32_t *scale, uint32_t turn)
{
    static fx_t column[SCALED_D]; /* u, Q30 */
    const fx_t *of_turn = inverse + turn * (turn + 1) / 2;
    for (uint32_t i = 0; i < SCALED_D; ++i) {
        column[i] = grown(*of_turn);
        of_turn += i < turn ? 1 : i + 1;
    }
    const int32_t gain = gain_of_renewal(column[turn], *scale);
    const fx_t own = theta[turn];
    int32_t trace = 0;
    fx_t *at = inverse;
    for (uint32_t i = 0; i < SCALED_D; ++i) {
        const int32_t weight = weight_of_renewal(gain, column[i]);
        forget_weight(&theta[i], weight, own);
        fx_t rest = 0;
        for (uint32_t j = 0; j <= i; ++j, ++at) {
            rest = (fx_t)((uint32_t)grown(*at) - ((uint32_t)high(weight, column[j]) << 1));
            *at = rest;
        }
        trace += rest >> (30 - TRACE_BITS);
    }
    if (trace >= LARGEST_TRACE && *scale > 0) {
        for (fx_t *each = inverse; each != at; ++each) {
            *each = (fx_t)((uint32_t)*each + 2u) >> 2;
        }
        --*scale;
    }
}

#endif
