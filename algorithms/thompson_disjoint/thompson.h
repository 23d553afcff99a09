/*
 * Thompson sampling with one ridge regression per arm: the disjoint learner, the weight of
 * exploration of each arm times a separate normal number. As the weights of an arm are normal
 * around theta with covariance alpha^2 A^-1, their prediction for a context is normal around
 * theta^T x with variance alpha^2 x^T A^-1 x: a number is sampled, no vector of weights.
 */
#ifndef THOMPSON_H
#define THOMPSON_H

#include "learner.h"
#include "random.h"

#if LEARNER_PROPENSITY
#error "LEARNER_PROPENSITY, LEARNER_PERTURB: the chances of these draws have no closed form"
#endif
#ifndef LEARNER_SEED
#define LEARNER_SEED 1u
#endif

enum { WORDS_OF_A_NORMAL = 6 };

/*
 * alpha times the sum of twelve uniform numbers less its mean: variance 1, within 6. The numbers of
 * an arm depend on its place in the order of samples, so harts sample the same in any order.
 */
static inline fx_t drawn_weight(fx_t alpha, uint32_t draw)
{
    uint32_t state = LEARNER_SEED + draw * (WORDS_OF_A_NORMAL * 0x9e3779b9u);
    int32_t normal = -6 * 0xffff; /* Q16 */
    for (uint32_t i = 0; i < WORDS_OF_A_NORMAL; ++i) {
        const uint32_t word = next_random(&state);
        normal += (int32_t)((word & 0xffffu) + (word >> 16));
    }
    return (fx_t)(uint32_t)(uint64_t)(((int64_t)alpha * normal) >> 16);
}

#endif
