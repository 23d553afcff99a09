#include "learner.h"

fx_t learner_context[LEARNER_D];
#ifdef LEARNER_F
fx_t learner_features[LEARNER_ARMS][LEARNER_F];
#endif
fx_t learner_alpha;
fx_t learner_scores[LEARNER_ARMS];

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
