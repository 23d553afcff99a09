/* Formulas as published: theta = V^-1 b, and mu and q of every arm from V^-1. */
#define LEARNER_LITERAL
#include "softucb_scalar.h"

static void learn(const fx_t *x, uint32_t arm, fx_t reward)
{
    static fx_t u[d], theta[d];
    (void)arm;
    inverse_times(x, u);
    const fx_t own = fx_wide_floor_wrap(fx_wide_dot(0, x, u, d));
    subtract_from_inverse(u, inverse_reciprocal(fx_add_wrap(INVERSE_ONE, own < 0 ? 0 : own)));
    for (uint32_t i = 0; i < d; ++i) {
        fx_accumulate_wrap(&learner_model.b[i], product(x[i], reward, F));
    }
    for (uint32_t i = 0; i < d; ++i) {
        const uint64_t sum = fx_wide_dot(0, learner_model.inverse[i], learner_model.b, d);
        theta[i] = (fx_t)(uint32_t)(uint64_t)((int64_t)sum >> INVERSE);
    }
    for (uint32_t i = 0; i < ARMS; ++i) {
        const fx_t *const features = learner_features[i];
        learner_model.means[i] = fx_wide_floor_wrap(fx_wide_dot(0, features, theta, d));
        inverse_times(features, u);
        const fx_t square = fx_wide_floor_wrap(fx_wide_dot(0, features, u, d));
        learner_model.squares[i] = square < 0 ? 0 : square;
    }
}
