/* Diagonal LinUCB on the scalar core: two products per weight in a selection. */
#include "diagonal.h"

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    square_context();
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        const struct arm *const arm = &learner_model.arms[a];
        learner_scores[a] =
            upper_bound(predicted(arm->theta), learner_alpha, quadratic(arm), exponent);
    }
    return learner_best_arm();
}
