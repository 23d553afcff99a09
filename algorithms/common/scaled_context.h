/*
 * The scaled context of a step, a prediction with it, and the change of weights by a reward. Include
 * after the definition of learner_model, which has the window if LEARNER_WINDOW is defined.
 */
#ifndef SCALED_CONTEXT_H
#define SCALED_CONTEXT_H

#include "scaled.h"

/* Of one step: y in Q31, and k. */
static fx_t scaled[SCALED_D];
static int32_t exponent;

/* Low words are enough: the sum of the squares must fit one. */
static void scale_context(void)
{
    uint32_t squares = 0;
    for (uint32_t i = 0; i < SCALED_D; ++i) {
        const int64_t square = (int64_t)SCALED_CONTEXT[i] * SCALED_CONTEXT[i];
        squares += (uint32_t)((uint64_t)square >> 15);
    }
    const int32_t k = scale_exponent(squares);
    for (uint32_t i = 0; i < SCALED_D; ++i) {
        scaled[i] = (fx_t)((uint32_t)SCALED_CONTEXT[i] << (k + 16));
    }
    exponent = k;
}

/* theta^T x: sum of 64-bit products, rounded down to Q15 once. */
INLINE fx_t predicted(const fx_t *theta)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < SCALED_D; ++i) {
        sum = (int64_t)((uint64_t)sum +
                        (uint64_t)((int64_t)theta[i] * (int64_t)SCALED_CONTEXT[i]));
    }
    return (fx_t)(uint32_t)(uint64_t)(sum >> THETA_BITS);
}

INLINE int32_t shifted(int32_t value, int32_t by)
{
    return by >= 0 ? value >> (by > 31 ? 31 : by) : (int32_t)((uint32_t)value << -by);
}

/* Of a reward: the surprise, Q22, and 2^k / (4^k + t). */
struct change_of_weights {
    int32_t surprise, factor, right;
};

/* Of the weights theta, with t in Q30 and the inverse matrix times 4^scale. */
INLINE struct change_of_weights change_of(fx_t reward, const fx_t *theta, int32_t t, int32_t scale)
{
    const int32_t both = exponent + scale;
    const struct reciprocal inverse = reciprocal_of(t, both);
    const fx_t surprise = (fx_t)((uint32_t)reward - (uint32_t)predicted(theta));
    return (struct change_of_weights){
        .surprise = (int32_t)((uint32_t)surprise << 7),
        .factor = (int32_t)(inverse.factor << 13),
        .right = inverse.shift - 20 - both,
    };
}

/* w = v / (4^both + t), both = k + scale, v in Q30: at most 2^-both / 2, as v^2 is at most t; Q31 and
 * both more. */
INLINE int32_t weight_of_change(int32_t v, struct change_of_weights change)
{
    return shifted(high(v, change.factor), change.right);
}

/* theta += 2^k w times the surprise; w 2^-scale, Q31 and k more. */
INLINE void change_weight(fx_t *theta, int32_t w, struct change_of_weights change)
{
    const int32_t by = high(w, change.surprise); /* Q21 */
    *theta = (fx_t)((uint32_t)*theta + (uint32_t)((by + 1) >> 1));
}

/* 2^45 / value for a number from 1 up in Q15: its inverse in Q30, from 17 digits, never above 1. */
INLINE fx_t inverse_of(uint32_t value)
{
    const uint32_t zeros = leading_zeros(value);
    const uint32_t quotient = 0xffffffffu / (value << zeros >> 16);
    return (fx_t)(zeros < 3 ? quotient >> (3 - zeros) : quotient << (zeros - 3));
}

/* a + b, at most the largest number. */
INLINE uint32_t saturated_sum(uint32_t a, uint32_t b)
{
    return a + b < a ? UINT32_MAX : a + b;
}

#endif
