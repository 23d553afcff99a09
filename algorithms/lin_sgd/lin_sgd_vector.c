/*
 * A selection on the vector unit, by fx_matvec_vector_floor_wrap: theta, Q20, and the context, Q15, lose 5
 * digits each before they are multiplied; sums in Q25 must lie within 64. An update has one division: it
 * runs on the scalar core.
 */
#include "sgd.h"
#include "matvec/matvec.h"

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    fx_matvec_vector_floor_wrap(learner_model.theta[0], learner_context, learner_scores, LEARNER_ARMS, d);
    (void)*(volatile fx_t *)learner_scores; /* waits for the transfer */
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        learner_scores[a] >>= THETA_BITS - FX_FRACTION_BITS;
    }
    return explored_arm(&learner_model.random, learner_best_arm());
}
