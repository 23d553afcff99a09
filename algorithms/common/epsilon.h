/* Epsilon-greedy choice with a constant epsilon. */
#ifndef EPSILON_H
#define EPSILON_H

#include "sampling.h"

#ifndef LEARNER_EPSILON /* share of decisions with a random arm, in 2^-16; 6554: 0.1 */
#define LEARNER_EPSILON 6554
#endif
_Static_assert(LEARNER_EPSILON >= 0 && LEARNER_EPSILON <= 65536, "LEARNER_EPSILON: 65536 is every decision");

/* The arm to play: the best one, or a random one. */
static inline uint32_t explored_arm(uint32_t *random, uint32_t best)
{
    uint32_t arm = best;
    if (next_random(random) >> 16 < LEARNER_EPSILON) {
        arm = random_below(random, LEARNER_ARMS);
    }
#if LEARNER_PROPENSITY
    learner_propensity = propensity_of_mixture((uint32_t)LEARNER_EPSILON << 15, LEARNER_ARMS, arm == best);
#endif
    return arm;
}

#endif
