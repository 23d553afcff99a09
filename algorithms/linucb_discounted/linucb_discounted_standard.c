/*
 * D-LinUCB as published, a model for each arm: the weighted design matrix V, and V~ with squared
 * weights. Each selection solves V theta = b and V z = x; the width is sqrt(z^T V~ z). In each round,
 * for every arm, with x and the reward r of the played one,
 *     V = gamma V + x x^T + (1 - gamma) I,   V~ = gamma^2 V~ + x x^T + (1 - gamma^2) I,   b = gamma b + r x.
 *
 * V is at most (1 + |x|^2) / (1 - gamma): numbers in Q15 neither grow nor need a scale. They are
 * rounded to nearest, and do not fade below half a step / (1 - gamma).
 */
#include "fx_divide.h"
#include "fx_sqrt.h"
#include "learner.h"
#include "solve_positive/solve_positive.h"

#if FX_FRACTION_BITS != 15
#error "linucb_discounted_standard.c: FX_FRACTION_BITS must be 15"
#endif
/* 1 / gamma - 1 in steps of 2^-15; 331 is a gamma of 0.99. */
_Static_assert(LEARNER_FORGETTING >= 1 && LEARNER_FORGETTING <= 32768,
               "LEARNER_FORGETTING: 1 to 32768, a gamma of 0.5");

enum { d = LEARNER_D, TRIANGLE = LEARNER_D * (LEARNER_D + 1) / 2 };

/* gamma and gamma^2, Q31, and what is missing to 1, Q15. */
#define GAMMA ((int32_t)(((uint64_t)1 << 46) / (32768u + LEARNER_FORGETTING)))
#define GAMMA_2 ((int32_t)(((uint64_t)GAMMA * GAMMA) >> 31))
#define RENEWED(gamma) ((fx_t)((0x80000000u - (uint32_t)(gamma) + 0x8000u) >> 16))

struct arm {
    fx_t v[TRIANGLE], squared[TRIANGLE]; /* rows up to the diagonal */
    fx_t b[d];
};

static struct {
    struct arm arms[LEARNER_ARMS];
} learner_model;

#include "model.h" /* of learner_model */

void learner_reset(void)
{
    clear_model();
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        for (uint32_t i = 0, at = 0; i < d; at += ++i + 1) {
            learner_model.arms[a].v[at] = FX_ONE;
            learner_model.arms[a].squared[at] = FX_ONE;
        }
    }
}

/* z^T V~ z: each product of V~ z is rounded down once. */
static fx_t quadratic(const fx_t *squared, const fx_t *z)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < d; ++i) {
        const fx_t *const row = squared + i * (i + 1) / 2;
        uint64_t own = fx_wide_dot(0, row, z, i + 1);
        for (uint32_t j = i + 1; j < d; ++j) {
            own = fx_wide_add(own, squared[j * (j + 1) / 2 + i], z[j]);
        }
        sum = fx_wide_add(sum, fx_wide_floor_wrap(own), z[i]);
    }
    return fx_wide_floor_wrap(sum);
}

/* The upper bound of an arm; 0 where its matrix is singular within rounding. */
static fx_t score(const struct arm *arm)
{
    static fx_t matrix[d * d], theta[d], z[d], work[d * d + 3 * d];
    const fx_t *at = arm->v;
    for (uint32_t i = 0; i < d; ++i) {
        for (uint32_t j = 0; j <= i; ++j) {
            matrix[i * d + j] = *at++;
        }
    }
    if (fx_solve_positive_scalar_floor_checked(matrix, arm->b, theta, work, d) != FX_OK ||
        fx_solve_positive_scalar_floor_checked(matrix, learner_context, z, work, d) != FX_OK) {
        return 0;
    }
    const fx_t variance = quadratic(arm->squared, z);
    const fx_t width = variance > 0 ? fx_sqrt(variance) : 0;
    const fx_t mean = fx_wide_floor_wrap(fx_wide_dot(0, theta, learner_context, d));
    return fx_add_wrap(mean, fx_multiply_floor_wrap(learner_alpha, width));
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        learner_scores[a] = score(&learner_model.arms[a]);
    }
    return learner_best_arm();
}

/* value gamma + more, gamma in Q31; to nearest. */
static inline fx_t faded(fx_t value, int32_t gamma, fx_t more)
{
    const int64_t product = (int64_t)value * gamma + (1 << 30);
    return fx_add_wrap((fx_t)(uint32_t)((uint64_t)product >> 31), more);
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        struct arm *const arm = &learner_model.arms[a];
        fx_t *v = arm->v, *squared = arm->squared;
        for (uint32_t i = 0; i < d; ++i) {
            const fx_t x = a == chosen ? learner_context[i] : 0;
            for (uint32_t j = 0; j <= i; ++j, ++v, ++squared) {
                const fx_t product = x == 0 ? 0 : fx_multiply_floor_wrap(x, learner_context[j]);
                *v = faded(*v, GAMMA, fx_add_wrap(product, i == j ? RENEWED(GAMMA) : 0));
                *squared = faded(*squared, GAMMA_2, fx_add_wrap(product, i == j ? RENEWED(GAMMA_2) : 0));
            }
            arm->b[i] = faded(arm->b[i], GAMMA, x == 0 ? 0 : fx_multiply_floor_wrap(x, reward));
        }
    }
}
