/* Incremental: with fixed arms z = X V^-1 x updates all means and all q. */
#include "softucb_scalar.h"

static void learn(const fx_t *x, uint32_t arm, fx_t reward)
{
    static fx_t u[d], z[ARMS];
    struct fx_range range = {0, 0};
    inverse_times(x, u);
    for (uint32_t i = 0; i < ARMS; ++i) {
        z[i] = fx_wide_floor_wrap(fx_wide_dot(0, learner_features[i], u, d));
    }
    const fx_t own = z[arm] < 0 ? 0 : z[arm];
    const struct fx_reciprocal by = inverse_reciprocal(fx_add_wrap(INVERSE_ONE, own));
    const fx_t error =
        fx_divide_by_reciprocal(fx_subtract_wrap(reward, learner_model.means[arm]), by, &range);
    for (uint32_t i = 0; i < ARMS; ++i) {
        const fx_t w = fx_divide_by_reciprocal(z[i], by, &range);
        const fx_t square =
            fx_subtract_wrap(learner_model.squares[i], product(w, z[i], INVERSE));
        learner_model.squares[i] = square < 0 ? 0 : square;
        fx_accumulate_wrap(&learner_model.means[i], product(error, z[i], INVERSE));
    }
    subtract_from_inverse(u, by);
}
