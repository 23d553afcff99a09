/* The selection of the paper code: harts share the scoring of the arms. */
#include "paper_learner.h"

#include "harts.c" /* in one unit with its callers, as the published build has it */

static uint32_t highest_score(void)
{
    uint32_t best = 0;
    for (uint32_t arm = 1; arm < LEARNER_ARMS; ++arm) {
        if (learner_scores[arm] > learner_scores[best]) {
            best = arm;
        }
    }
    return best;
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    if (hart == 0) {
        learner_prepare();
    }
    learner_wait_for_all(hart);
    const uint32_t first = (uint32_t)hart * LEARNER_ARMS / LEARNER_HARTS;
    const uint32_t end = ((uint32_t)hart + 1) * LEARNER_ARMS / LEARNER_HARTS;
    for (uint32_t arm = first; arm < end; ++arm) {
        learner_scores[arm] = learner_score(arm);
    }
    learner_wait_for_all(hart);
    return highest_score();
}
