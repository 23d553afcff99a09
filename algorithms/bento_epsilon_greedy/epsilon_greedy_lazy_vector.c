/*
 * An exploited step with the inner products on the vector unit, by fx_matvec_vector_floor_wrap:
 * weights and context lose a third of their digits each before they are multiplied. Explored steps
 * are rare; they run on the scalar core, where A has all its digits.
 */
#include "epsilon_greedy.h"
#if FX_FRACTION_BITS > 21
#error "epsilon_greedy_lazy_vector.c: FX_FRACTION_BITS must be at most 21: scores reach 8"
#endif
#include "explored_arm.h"
#include "matvec/matvec.h"

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    uint32_t arm = 0;
    const int exploring = explored(&arm);
    learner_model.exploring = (uint32_t)exploring;
    if (exploring && !LEARNER_PROPENSITY) {
        return arm;
    }
    refresh_weights();
    fx_matvec_vector_floor_wrap(learner_model.theta[0], learner_context, learner_scores, ARMS, d);
    (void)*(volatile fx_t *)learner_scores; /* waits for the transfer */
    return decided(exploring, arm, learner_best_arm());
}
