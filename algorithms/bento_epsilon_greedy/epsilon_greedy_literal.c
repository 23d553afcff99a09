/* As published: every arm is solved in every exploited step. The same choices, bit for bit. */
#include "epsilon_greedy.h"
#include "explored_arm.h"

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    uint32_t arm = 0;
    const int exploring = explored(&arm);
    learner_model.exploring = (uint32_t)exploring;
    if (exploring && !LEARNER_PROPENSITY) {
        return arm;
    }
    for (uint32_t i = 0; i < ARMS; ++i) {
        learner_model.arms[i].dirty = 1;
    }
    refresh_weights();
    for (uint32_t i = 0; i < ARMS; ++i) {
        learner_scores[i] =
            fx_wide_floor_wrap(fx_wide_dot(0, learner_model.theta[i], learner_context, d));
    }
    return decided(exploring, arm, learner_best_arm());
}
