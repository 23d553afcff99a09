/*
 * Linear models by implicit stochastic gradient steps, epsilon-greedy. With n rewards of the arm so far,
 *     eta = 1 / (LEARNER_PRECISION + n LEARNER_DECAY),
 *     theta += eta / (1 + eta |x|^2) (reward - theta^T x) x.
 * The step is that of the gradient at the new theta: no context and no eta makes it diverge.
 */
#ifndef SGD_H
#define SGD_H

#include "epsilon.h"
#include "scaled.h"

#ifndef LEARNER_PRECISION /* inverse of the first step size, Q15 */
#define LEARNER_PRECISION 32768
#endif
#ifndef LEARNER_DECAY /* growth of the inverse with each reward, Q15; 3277: 0.1 */
#define LEARNER_DECAY 3277
#endif
_Static_assert(LEARNER_PRECISION >= 32768, "LEARNER_PRECISION: from 1, Q15: a step size of at most 1");
_Static_assert(LEARNER_DECAY >= 0, "LEARNER_DECAY: from 0, Q15: a constant step size");

enum { d = LEARNER_D };

static struct {
    fx_t theta[LEARNER_ARMS][d];      /* Q20 */
    uint32_t precision[LEARNER_ARMS]; /* 1 / eta, Q15; it stops at 2^17 */
    uint32_t random;
} learner_model;

#include "model.h" /* of learner_model */
#include "scaled_context.h"

void learner_reset(void)
{
    clear_model();
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        learner_model.precision[a] = LEARNER_PRECISION;
    }
    learner_model.random = LEARNER_SEED;
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    fx_t *const theta = learner_model.theta[chosen];
    const fx_t eta = inverse_of(learner_model.precision[chosen]); /* Q30 */
    scale_context();
    uint32_t squares = 0; /* |y|^2, Q30 */
    for (uint32_t i = 0; i < d; ++i) {
        squares += (uint32_t)high(scaled[i], scaled[i]);
    }
    const int32_t t = (int32_t)((uint32_t)high(eta, (int32_t)(squares << 1)) << 1); /* Q30 */
    const struct change_of_weights change = change_of(reward, theta, t, 0);
    for (uint32_t i = 0; i < d; ++i) {
        const int32_t v = (int32_t)((uint32_t)high(eta, scaled[i]) << 1); /* Q30 */
        change_weight(&theta[i], weight_of_change(v, change), change);
    }
    learner_model.precision[chosen] = saturated_sum(learner_model.precision[chosen], LEARNER_DECAY);
}

#endif
