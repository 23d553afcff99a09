/*
 * Disjoint LinUCB with Sherman-Morrison updates (linucb_disjoint, optimized) as a program on the q31 functions
 * of CMSIS-DSP would have it; see q31.h. A^-1 is in q31, as no element exceeds 1. A context is scaled by the
 * fixed 2^-LEARNER_RANGE; |x| must be below 2^LEARNER_RANGE, or numbers saturate. b and theta have the scale
 * 2^-16: they are the Q16.15 of all other learners.
 *
 * The library has no exponent that follows the data, no symmetric product and no update of rank one: A^-1
 * loses digits as it shrinks, and an update writes d x d products, scales and subtracts them.
 */
#include "fx_inverse_root.h"
#include "learner.h"
#include "q31.h"

#if FX_FRACTION_BITS != 15
#error "linucb_cmsis_q31.c: FX_FRACTION_BITS must be 15"
#endif
#ifndef LEARNER_RANGE /* for numbers from -1 to 1: 4^range is at least d */
#define LEARNER_RANGE                                                                               \
    (LEARNER_D <= 1 ? 0 : LEARNER_D <= 4 ? 1 : LEARNER_D <= 16 ? 2 : LEARNER_D <= 64 ? 3 : 4)
#endif
_Static_assert(LEARNER_RANGE >= 0 && LEARNER_RANGE <= 8, "LEARNER_RANGE: 0 to 8");

enum { d = LEARNER_D };

struct arm {
    q31_t inverse[d * d];
    q31_t b[d];
};

static struct {
    struct arm arms[LEARNER_ARMS];
} learner_model;

#include "model.h" /* of learner_model */

static q31_t x[d]; /* 2^-LEARNER_RANGE of the context */

void learner_reset(void)
{
    clear_model();
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        for (uint32_t i = 0; i < d; ++i) {
            learner_model.arms[a].inverse[i * d + i] = Q31_ONE;
        }
    }
}

/* v = A^-1 x; returns x^T v, at least 0. */
static q31_t spread(const struct arm *arm, q31_t *v)
{
    q31_mat_vec_mult(arm->inverse, x, v, d, d);
    const q31_t variance = q31_saturated(q31_dot(x, v, d) >> 17);
    return variance < 0 ? 0 : variance;
}

/* sqrt of q31, 2^LEARNER_RANGE times, in Q15: arm_sqrt_q31 takes three steps of Newton's method for
 * 1 / sqrt, too. */
static fx_t width_of(q31_t variance)
{
    const uint32_t value = (uint32_t)variance >> 1; /* Q30, whose root has 15 bits */
    if (value == 0) {
        return 0;
    }
    const struct fx_inverse_root root = fx_inverse_root(value, fx_leading_zeros(value), 0);
    return (fx_t)(((uint64_t)value * root.factor << LEARNER_RANGE) >> (16 + root.shift));
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    static q31_t v[d], theta[d];
    q31_shift(learner_context, 16 - LEARNER_RANGE, x, d);
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        const struct arm *const arm = &learner_model.arms[a];
        q31_mat_vec_mult(arm->inverse, arm->b, theta, d, d);
        const q63_t mean = q31_dot(x, theta, d) >> (17 - LEARNER_RANGE);
        const q63_t width = (q63_t)learner_alpha * width_of(spread(arm, v));
        learner_scores[a] = q31_saturated(mean + (width >> 15));
    }
    return learner_best_arm();
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    static q31_t v[d], products[d * d], step[d];
    struct arm *const arm = &learner_model.arms[chosen];
    q31_shift(learner_context, 16 - LEARNER_RANGE, x, d);
    const q31_t variance = spread(arm, v);
    /* 1 / (4^-range + variance) = fraction 2^shift, by one division of 64 bits (arm_divide_q31). */
    const uint32_t denominator = (1u << (30 - 2 * LEARNER_RANGE)) + ((uint32_t)variance >> 1);
    const uint32_t zeros = fx_leading_zeros(denominator);
    const uint64_t quotient = ((uint64_t)1 << 62) / (denominator << zeros);
    const q31_t fraction = quotient > INT32_MAX ? INT32_MAX : (q31_t)quotient;
    q31_outer(v, v, products, d);
    q31_scale(products, fraction, zeros - 1, products, d * d);
    q31_sub(arm->inverse, products, arm->inverse, d * d);
    q31_scale(x, reward, LEARNER_RANGE, step, d);
    q31_add(arm->b, step, arm->b, d);
}
