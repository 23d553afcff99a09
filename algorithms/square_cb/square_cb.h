/*
 * SquareCB (Foster and Rakhlin, 2020) on the regressions of the disjoint learner. With g the gap
 * between the highest estimate and that of an arm, the arm is played with the probability
 * 1 / (ARMS + LEARNER_GAMMA g), and the best one with the remaining probability, at least 1 / ARMS.
 */
#ifndef SQUARE_CB_H
#define SQUARE_CB_H

#include "sampling.h"

_Static_assert(LEARNER_GAMMA >= 1 && LEARNER_GAMMA < 1 << 24, "LEARNER_GAMMA: 1 to 2^24 - 1");

enum { GAP_BITS = 8 }; /* of ARMS + gamma g, which is at most 2^31 in these steps */

/* 1 / (ARMS + gamma gap) in steps of 2^-31; gap in Q15. */
static inline uint32_t chance_of(uint32_t gap)
{
    const uint64_t product = ((uint64_t)gap * LEARNER_GAMMA) >> (15 - GAP_BITS);
    const uint32_t most = 0x80000000u - (LEARNER_ARMS << GAP_BITS);
    const uint32_t more = product > most ? most : (uint32_t)product;
    return (0x80000000u / ((LEARNER_ARMS << GAP_BITS) + more)) << GAP_BITS;
}

/* Samples an arm by the estimates in learner_scores. */
static inline uint32_t drawn_arm(uint32_t *random)
{
    const uint32_t best = learner_best_arm();
    const uint32_t place = next_random(random) >> 1;
    uint32_t below = 0, played = best, chance = 0;
    for (uint32_t arm = 0; arm < LEARNER_ARMS; ++arm) {
        if (arm == best) {
            continue;
        }
        const uint32_t own = chance_of((uint32_t)learner_scores[best] - (uint32_t)learner_scores[arm]);
        if (place - below < own) { /* modulo 2^32: not below the sum before */
            played = arm;
            chance = own;
        }
        below += own;
    }
#if LEARNER_PROPENSITY
    learner_propensity = played == best ? 0x80000000u - below : chance;
#else
    (void)chance;
#endif
    return played;
}

#endif
