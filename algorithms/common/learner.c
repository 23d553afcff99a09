#include "learner.h"
#if LEARNER_PROPENSITY
#include "random.h"
#endif

fx_t learner_context[LEARNER_D];
#ifdef LEARNER_F
fx_t learner_features[LEARNER_ARMS][LEARNER_F];
#endif
fx_t learner_alpha;
fx_t learner_scores[LEARNER_ARMS];

#if LEARNER_PROPENSITY
#ifndef LEARNER_PERTURB_SEED
#define LEARNER_PERTURB_SEED 2u
#endif
uint32_t learner_propensity = PROPENSITY_ONE;

uint32_t learner_decide(int hart)
{
    const uint32_t arm = learner_select(hart);
#ifdef LEARNER_PERTURB
    _Static_assert(LEARNER_PERTURB <= PROPENSITY_ONE, "LEARNER_PERTURB: 2^31 is every decision");
    static uint32_t random = LEARNER_PERTURB_SEED;
    if (hart == 0) {
        const int any = next_random(&random) >> 1 < LEARNER_PERTURB;
        const uint32_t played = any ? random_below(&random, LEARNER_ARMS) : arm;
        learner_propensity = propensity_of_mixture(LEARNER_PERTURB, LEARNER_ARMS, played == arm);
        return played;
    }
#endif
    return arm;
}
#endif

uint32_t learner_best_arm(void)
{
    uint32_t best = 0;
    fx_t highest = learner_scores[0];
    for (uint32_t arm = 1; arm < LEARNER_ARMS; ++arm) {
        const fx_t score = learner_scores[arm];
        if (score > highest) {
            highest = score;
            best = arm;
        }
    }
    return best;
}
