/* On the scalar core: one product per weight in a selection. */
#include "sgd.h"

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        learner_scores[a] = predicted(learner_model.theta[a]);
    }
    return explored_arm(&learner_model.random, learner_best_arm());
}
