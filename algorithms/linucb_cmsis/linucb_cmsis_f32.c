/*
 * Disjoint LinUCB as published (linucb_disjoint, standard), as a program on the f32 functions of CMSIS-DSP
 * would have it, see f32.h: the library inverts matrices of floating-point numbers only. A is stored, and
 * inverted for every arm in every selection.
 */
#include "f32.h"
#include "fx_sqrt.h"
#include "learner.h"

#if FX_FRACTION_BITS != 15
#error "linucb_cmsis_f32.c: FX_FRACTION_BITS must be 15"
#endif

enum { d = LEARNER_D };

struct arm {
    float a[d * d];
    float b[d];
};

static struct {
    struct arm arms[LEARNER_ARMS];
} learner_model;

#include "model.h" /* of learner_model */

static float x[d];

/* arm_q31_to_float with the scale of Q16.15: exact below 2^24 steps. */
static inline float to_float(fx_t value)
{
    return (float)value * (1.0f / 32768.0f);
}

/* Saturated; 0 for a number that is none. */
static inline fx_t to_fixed(float value)
{
    const float steps = value * 32768.0f;
    return steps >= 2147483648.0f ? INT32_MAX : steps <= -2147483648.0f ? INT32_MIN : steps == steps ? (fx_t)steps : 0;
}

static void load_context(void)
{
    for (uint32_t i = 0; i < d; ++i) {
        x[i] = to_float(learner_context[i]);
    }
}

void learner_reset(void)
{
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        struct arm *const arm = &learner_model.arms[a];
        for (uint32_t i = 0; i < d; ++i) {
            for (uint32_t j = 0; j < d; ++j) {
                arm->a[i * d + j] = i == j ? 1.0f : 0.0f;
            }
            arm->b[i] = 0.0f;
        }
    }
}

/* The upper bound of an arm; 0 if its matrix is singular. arm_sqrt_f32 calls the C library's sqrtf; here
 * the root is that of the variance in Q16.15. */
static fx_t score(const struct arm *arm)
{
    static float work[d * d], inverse[d * d], theta[d], v[d];
    for (uint32_t i = 0; i < d * d; ++i) {
        work[i] = arm->a[i];
    }
    if (!f32_inverse(work, inverse, d)) {
        return 0;
    }
    f32_mat_vec_mult(inverse, arm->b, theta, d);
    f32_mat_vec_mult(inverse, x, v, d);
    const fx_t variance = to_fixed(f32_dot(x, v, d));
    const fx_t width = variance > 0 ? fx_sqrt(variance) : 0;
    return fx_add_wrap(to_fixed(f32_dot(theta, x, d)), fx_multiply_floor_wrap(learner_alpha, width));
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    load_context();
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        learner_scores[a] = score(&learner_model.arms[a]);
    }
    return learner_best_arm();
}

/* arm_mat_mult_f32 of a column and a row, arm_mat_add_f32; arm_scale_f32, arm_add_f32. */
GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    struct arm *const arm = &learner_model.arms[chosen];
    const float r = to_float(reward);
    load_context();
    for (uint32_t i = 0; i < d; ++i) {
        for (uint32_t j = 0; j < d; ++j) {
            arm->a[i * d + j] += x[i] * x[j];
        }
        arm->b[i] += r * x[i];
    }
}
