/*
 * Kernel UCB on a dictionary of bounded size, without a history (Zenati et al.'s EK-UCB in
 * orthonormal coordinates; gnomon's are the rule for new anchors, and that past states do not enter
 * a new coordinate).
 *
 * A state is a context and the features of an arm, and k(s, z) = exp(-I |s - z|^2) with I =
 * LEARNER_INVERSE_WIDTH. With the kernel matrix of the anchors Z as L L^T,
 *     f(s) = L^-1 k_Z(s),   |f| <= 1.
 * The state is L^-1, P = lambda (sum f f^T + lambda I)^-1, which never exceeds I, and theta, the
 * weights of ridge regression on f. The score is
 *     theta^T f + alpha sqrt(f^T P f + 1 - f^T f),
 * alpha = beta / sqrt(lambda). After the reward r, with w = P f and s = lambda + f^T w,
 *     theta += w (r - theta^T f) / s,   P -= w w^T / s.
 * Before that a state with 1 - f^T f of at least LEARNER_NOVELTY percent becomes an anchor, while
 * there is room: its row of L is f and the root d of that, P gains a row of I and theta a 0.
 *
 * Numbers have FX_FRACTION_BITS. Every product of a row of L^-1 or P and k or f is a number of at
 * most 1: its low word is exact even if partial sums wrap. Contexts and features are numbers of
 * about 1: squares of their differences are summed in 64 bits.
 */
#ifndef KERNEL_UCB_H
#define KERNEL_UCB_H

#include "fx_divide.h"
#include "fx_exp.h"
#include "fx_sqrt.h"
#include "learner.h"
#include "random.h"

#ifndef LEARNER_F
#error "kernel_ucb.h: define LEARNER_F: features of an arm"
#endif
#ifndef LEARNER_ANCHORS /* largest size of the dictionary */
#define LEARNER_ANCHORS 32
#endif
#ifndef LEARNER_RIDGE /* lambda */
#define LEARNER_RIDGE 10
#endif
#ifndef LEARNER_INVERSE_WIDTH /* 1 / (2 w^2) */
#define LEARNER_INVERSE_WIDTH 50
#endif
#ifndef LEARNER_NOVELTY /* percent */
#define LEARNER_NOVELTY 10
#endif
#ifndef LEARNER_SEED /* of the first arm */
#define LEARNER_SEED 1u
#endif
#if FX_FRACTION_BITS > 24
#error "kernel_ucb.h: FX_FRACTION_BITS must be at most 24: lambda and rows of L^-1 reach 64"
#endif
#if LEARNER_RIDGE < 1 || LEARNER_RIDGE >= (1 << (31 - FX_FRACTION_BITS)) - 1
#error "kernel_ucb.h: LEARNER_RIDGE must be at least 1, and one more must be a number"
#endif
#if LEARNER_NOVELTY < 1 || LEARNER_NOVELTY > 100 || (LEARNER_NOVELTY << FX_FRACTION_BITS) < 100
#error "kernel_ucb.h: LEARNER_NOVELTY must be from 1 to 100 percent, and a step or more"
#endif
#if LEARNER_ANCHORS < 1 || LEARNER_INVERSE_WIDTH < 1
#error "kernel_ucb.h: LEARNER_ANCHORS and LEARNER_INVERSE_WIDTH must be at least 1"
#endif

enum { d = LEARNER_D, ARMS = LEARNER_ARMS, MOST = LEARNER_ANCHORS };

static struct {
    uint32_t step;
    uint32_t random;
    uint32_t anchors; /* m */
    fx_t near[ARMS][ARMS]; /* kernel of the features of two arms */
    fx_t context[MOST][d]; /* of each anchor, and its arm */
    uint32_t arm[MOST];
    fx_t theta[MOST]; /* 0 from m on, and so on */
    fx_t inverse_factor[MOST][MOST];
    fx_t covariance[MOST][MOST];
} learner_model;

/* Of one state: 0 from m on. */
static fx_t of_context[MOST], column[MOST], features[MOST], spread[MOST];

/* out = a x of the first m rows; a is lower triangular or, with `whole`, is not. */
static inline void rows_times(fx_t a[MOST][MOST], const fx_t *x, fx_t *out, int whole);

void learner_reset(void)
{
    uint32_t *const words = (uint32_t *)&learner_model;
    for (uint32_t i = 0; i < sizeof learner_model / 4; ++i) {
        words[i] = 0;
    }
    learner_model.random = LEARNER_SEED;
    for (uint32_t i = 0; i < MOST; ++i) {
        of_context[i] = column[i] = features[i] = spread[i] = 0;
    }
}

/* exp(-I |a - b|^2) */
static fx_t kernel_of(const fx_t *a, const fx_t *b, uint32_t count)
{
    uint64_t squares = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t difference = (int64_t)a[i] - b[i];
        squares += (uint64_t)difference * (uint64_t)difference;
    }
    const uint64_t size = squares >> FX_FRACTION_BITS;
    const uint64_t most = 0x7fffffffu / LEARNER_INVERSE_WIDTH;
    return fx_exp_of_minus((uint32_t)(size > most ? most : size) * LEARNER_INVERSE_WIDTH);
}

/* Computes once the values that do not depend on the step: features arrive with the first step. */
static inline void begin_step(void)
{
    if (learner_model.step != 0) {
        return;
    }
    for (uint32_t i = 0; i < ARMS; ++i) {
        for (uint32_t j = 0; j < ARMS; ++j) {
            learner_model.near[i][j] =
                kernel_of(learner_features[i], learner_features[j], LEARNER_F);
        }
    }
}

static inline void see_context(void)
{
    for (uint32_t i = 0; i < learner_model.anchors; ++i) {
        of_context[i] = kernel_of(learner_context, learner_model.context[i], d);
    }
}

/* k, f and w = P f of an arm under the context. */
static inline void see_arm(uint32_t arm)
{
    for (uint32_t i = 0; i < learner_model.anchors; ++i) {
        const fx_t of_arm = learner_model.near[learner_model.arm[i]][arm];
        column[i] = fx_multiply_floor_wrap(of_context[i], of_arm);
    }
    rows_times(learner_model.inverse_factor, column, features, 0);
    rows_times(learner_model.covariance, features, spread, 1);
}

static inline fx_t product_of(const fx_t *a, const fx_t *b)
{
    return fx_wide_floor_wrap(fx_wide_dot(0, a, b, learner_model.anchors));
}

/* 1 - f^T f, the part of a state outside the dictionary, not below 0. */
static inline fx_t outside(void)
{
    const fx_t rest = fx_subtract_wrap(FX_ONE, product_of(features, features));
    return rest < 0 ? 0 : rest;
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    begin_step();
    if (learner_model.step == 0) {
        return random_below(&learner_model.random, ARMS);
    }
    see_context();
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        see_arm(arm);
        const fx_t inside = product_of(features, spread);
        const fx_t width = fx_sqrt(fx_add_wrap(inside < 0 ? 0 : inside, outside()));
        learner_scores[arm] = fx_add_wrap(product_of(learner_model.theta, features),
                                          fx_multiply_floor_wrap(learner_alpha, width));
    }
    return learner_best_arm();
}

/* Rounded to nearest: values accumulated over the steps must not be biased. */
static inline fx_t nearest(fx_t a, fx_t b)
{
    const int64_t product = (int64_t)a * b;
    return (fx_t)((product + (1 << (FX_FRACTION_BITS - 1))) >> FX_FRACTION_BITS);
}

/* The state becomes an anchor: its features gain d. */
static void add_anchor(uint32_t arm, fx_t novelty)
{
    const uint32_t m = learner_model.anchors;
    const fx_t last = fx_sqrt(novelty);
    const struct fx_reciprocal inverse = fx_reciprocal(last);
    struct fx_range range = {0, 0};
    fx_t *const row = learner_model.inverse_factor[m];
    for (uint32_t j = 0; j < m; ++j) {
        uint64_t sum = 0;
        for (uint32_t i = j; i < m; ++i) {
            sum = fx_wide_add(sum, features[i], learner_model.inverse_factor[i][j]);
        }
        row[j] = fx_divide_by_reciprocal(fx_subtract_wrap(0, fx_wide_floor_wrap(sum)), inverse, &range);
    }
    row[m] = fx_divide_by_reciprocal(FX_ONE, inverse, &range);
    for (uint32_t i = 0; i < d; ++i) {
        learner_model.context[m][i] = learner_context[i];
    }
    learner_model.arm[m] = arm;
    learner_model.covariance[m][m] = FX_ONE;
    features[m] = spread[m] = last;
    learner_model.anchors = m + 1;
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    begin_step();
    learner_model.step += learner_model.step != UINT32_MAX;
    see_context();
    see_arm(chosen);
    const fx_t novelty = outside();
    if (learner_model.anchors < MOST && novelty >= (fx_t)((int64_t)FX_ONE * LEARNER_NOVELTY / 100)) {
        add_anchor(chosen, novelty);
    }
    const uint32_t m = learner_model.anchors;
    const fx_t ridge = (fx_t)LEARNER_RIDGE << FX_FRACTION_BITS;
    const struct fx_reciprocal inverse = fx_reciprocal(fx_add_wrap(ridge, product_of(features, spread)));
    const fx_t surprise = fx_subtract_wrap(reward, product_of(learner_model.theta, features));
    struct fx_range range = {0, 0};
    for (uint32_t i = 0; i < m; ++i) {
        const fx_t gain = fx_divide_by_reciprocal(spread[i], inverse, &range);
        fx_accumulate_wrap(&learner_model.theta[i], nearest(gain, surprise));
        for (uint32_t j = 0; j <= i; ++j) {
            const fx_t rest =
                fx_subtract_wrap(learner_model.covariance[i][j], nearest(gain, spread[j]));
            learner_model.covariance[i][j] = rest;
            learner_model.covariance[j][i] = rest;
        }
    }
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}

#endif
