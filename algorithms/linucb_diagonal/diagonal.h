/*
 * LinUCB with independent weights: an arm stores the precision of each weight, q_i = 1 + the sum of
 * x_i^2, its inverse and the weight. With t = x^T Q^-1 x before the update,
 *     score = theta^T x + alpha sqrt(t),
 *     theta_i += x_i / q_i (reward - theta^T x) / (1 + t),   q_i += x_i^2.
 * A precision stops at 2^17, so an arm learns from any number of rewards.
 */
#ifndef DIAGONAL_H
#define DIAGONAL_H

#include "scaled.h"

enum { d = LEARNER_D };

struct arm {
    fx_t variance[d];      /* 1 / q, Q30, from 17 digits */
    fx_t theta[d];         /* Q20 */
    uint32_t precision[d]; /* q, Q15 */
};

static struct {
    struct arm arms[LEARNER_ARMS];
} learner_model;

#include "model.h" /* of learner_model */
#include "scaled_context.h"

void learner_reset(void)
{
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        for (uint32_t i = 0; i < d; ++i) {
            learner_model.arms[a].variance[i] = INVERSE_ONE;
            learner_model.arms[a].theta[i] = 0;
            learner_model.arms[a].precision[i] = FX_ONE;
        }
    }
}

/* q += x^2 in Q15, to nearest, and its inverse. */
INLINE void learn_precisions(struct arm *arm)
{
    for (uint32_t i = 0; i < d; ++i) {
        const int64_t square = (int64_t)learner_context[i] * learner_context[i];
        const uint64_t steps = ((uint64_t)square + (1u << 14)) >> 15;
        const uint32_t more = steps >> 32 != 0 ? UINT32_MAX : (uint32_t)steps;
        arm->precision[i] = saturated_sum(arm->precision[i], more);
        arm->variance[i] = inverse_of(arm->precision[i]);
    }
}

static fx_t squares[d]; /* y^2, Q31 */

static void square_context(void)
{
    scale_context();
    for (uint32_t i = 0; i < d; ++i) {
        squares[i] = (fx_t)((uint32_t)high(scaled[i], scaled[i]) << 1);
    }
}

/* y^T Q^-1 y, Q30: every product rounded down in Q29. */
INLINE int32_t quadratic(const struct arm *arm)
{
    uint32_t t = 0;
    for (uint32_t i = 0; i < d; ++i) {
        t += (uint32_t)high(squares[i], arm->variance[i]);
    }
    return (int32_t)(t << 1);
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    struct arm *const arm = &learner_model.arms[chosen];
    square_context();
    const struct change_of_weights change =
        change_of(reward, arm->theta, quadratic(arm), 0);
    for (uint32_t i = 0; i < d; ++i) {
        const int32_t v = (int32_t)((uint32_t)high(arm->variance[i], scaled[i]) << 1); /* Q30 */
        change_weight(&arm->theta[i], weight_of_change(v, change), change);
    }
    learn_precisions(arm);
}

#endif
