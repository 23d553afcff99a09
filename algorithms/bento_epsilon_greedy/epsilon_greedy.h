/*
 * Contextual epsilon-greedy (Bento et al.): its state, and the exploring steps.
 *
 * Step t <= LEARNER_P plays arm t mod arms; later ones explore any arm with probability LEARNER_P
 * / t. Only explored steps are learned. An arm stores A = sum of x x^T, b = sum of r x and n, all
 * times 2^-scale: before an element could leave the range, all are halved, as long as no product of two
 * elements of a context, or of one and a reward, exceeds 2^29 steps. Its weights
 *     theta = (A + sqrt(n) I)^-1 b
 * do not depend on the scale, and are solved for when first needed after the arm was explored.
 */
#ifndef EPSILON_GREEDY_H
#define EPSILON_GREEDY_H

#include "sampling.h"

#ifndef LEARNER_P /* weight of exploration */
#define LEARNER_P (10 * LEARNER_ARMS)
#endif
_Static_assert(LEARNER_P >= LEARNER_ARMS, "LEARNER_P: each arm must be explored once");

enum { d = LEARNER_D, ARMS = LEARNER_ARMS, TRIANGLE = LEARNER_D * (LEARNER_D + 1) / 2 };

struct arm {
    fx_t a[TRIANGLE]; /* row after row, up to the diagonal */
    fx_t b[d];
    uint32_t count; /* n */
    uint32_t scale;
    uint32_t dirty; /* explored since theta was solved */
};

static struct {
    uint32_t step; /* t of the last one */
    uint32_t random;
    uint32_t exploring; /* the last selection explored, or its reward has arrived */
    fx_t theta[ARMS][d];
    struct arm arms[ARMS];
} learner_model;

#include "model.h" /* of learner_model */

void learner_reset(void)
{
    clear_model();
    learner_model.random = LEARNER_SEED;
    learner_model.exploring = 1;
}

/* Whether this step explores, and with which arm. The 32-bit step stays at its end. */
static inline int explored(uint32_t *arm)
{
    const uint32_t step = learner_model.step + (learner_model.step != UINT32_MAX);
    learner_model.step = step;
    if (step <= LEARNER_P) {
        *arm = step % ARMS;
        return 1;
    }
    if (random_below(&learner_model.random, step) >= LEARNER_P) {
        return 0;
    }
    *arm = random_below(&learner_model.random, ARMS);
    return 1;
}

/* The arm of a step whose best arm is known; explored steps need the best arm for its probability. */
static inline uint32_t decided(int exploring, uint32_t arm, uint32_t best)
{
#if LEARNER_PROPENSITY
    const uint32_t step = learner_model.step, played = exploring ? arm : best;
    learner_propensity = step <= LEARNER_P
                             ? PROPENSITY_ONE
                             : propensity_of_mixture(propensity_of(LEARNER_P, step), ARMS, played == best);
    return played;
#else
    (void)exploring, (void)arm;
    return best;
#endif
}

/* sqrt(n) 2^-scale, rounded down from 23 digits or more. */
fx_t root_of_count(uint32_t count, uint32_t scale);

/* Solves for the weights of an arm; weights without a solution stay unchanged. */
void solve_arm(const struct arm *arm, fx_t *theta);

/* A += x x^T, b += r x. */
void learn_arm(struct arm *arm, fx_t reward);

static inline void refresh_weights(void)
{
    for (uint32_t i = 0; i < ARMS; ++i) {
        struct arm *const arm = &learner_model.arms[i];
        if (arm->dirty) {
            solve_arm(arm, learner_model.theta[i]);
            arm->dirty = 0;
        }
    }
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    if (learner_model.exploring) {
        learn_arm(&learner_model.arms[chosen], reward);
    }
    learner_model.exploring = 1;
}

#endif
