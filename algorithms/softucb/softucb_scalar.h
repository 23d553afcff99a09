/* Shared functions of both scalar implementations. */
#ifndef SOFTUCB_SCALAR_H
#define SOFTUCB_SCALAR_H

#include "softucb.h"

static void exponentials(fx_t *sizes)
{
    for (uint32_t i = 0; i < ARMS; ++i) {
        sizes[i] = fx_exp_of_minus((uint32_t)sizes[i]);
    }
}

/* value / divisor in INVERSE bits for a divisor with as many. */
static inline struct fx_reciprocal inverse_reciprocal(fx_t divisor)
{
    struct fx_reciprocal result = fx_reciprocal(divisor);
    result.shift += F - INVERSE;
    return result;
}

/* u = V^-1 x. */
static inline void inverse_times(const fx_t *x, fx_t *u)
{
    for (uint32_t i = 0; i < d; ++i) {
        u[i] = fx_wide_floor_wrap(fx_wide_dot(0, learner_model.inverse[i], x, d));
    }
}

/* V^-1 -= u u^T / denominator; one triangle is computed, so it stays symmetric. */
static inline void subtract_from_inverse(const fx_t *u, struct fx_reciprocal by)
{
    struct fx_range range = {0, 0};
    for (uint32_t i = 0; i < d; ++i) {
        const fx_t w = fx_divide_by_reciprocal(u[i], by, &range);
        for (uint32_t j = 0; j <= i; ++j) {
            const fx_t value =
                fx_subtract_wrap(learner_model.inverse[i][j], product(w, u[j], INVERSE));
            learner_model.inverse[i][j] = value;
            learner_model.inverse[j][i] = value;
        }
    }
}

#endif
