/*
 * SoftUCB (Yang and Toni): state and selection, scalar and vector alike.
 *
 * Arms have LEARNER_D features each that never change, learner_features, and there is no context.
 * With V = I + sum of x x^T, an arm has a mean mu and q = x^T V^-1 x. Selection samples an arm with
 * weight exp(gamma UCB), UCB = mu + beta sqrt(q); gamma is that of the round before. Arms whose UCB
 * is below the largest lower bound count as suboptimal, and the next gamma gives the others a share of
 * 0.99 or more. beta is learner_alpha, or is learned (LEARNER_ONLINE) and starts with it; then it is from
 * 1/1024 to less than 8, and so must learner_alpha be.
 */
#ifndef SOFTUCB_H
#define SOFTUCB_H

#include "fx_divide.h"
#include "fx_exp.h"
#include "fx_log.h"
#include "fx_sqrt.h"
#include "fx_wide.h"
#include "learner.h"
#include "random.h"

#ifdef LEARNER_PERTURB
#error "LEARNER_PERTURB: this learner draws its arms itself, take LEARNER_PROPENSITY"
#endif
#ifndef LEARNER_SEED
#define LEARNER_SEED 1u
#endif
/* Bits of V^-1, q and derived values. They are below 1, so they may have more than means. */
#ifndef LEARNER_INVERSE_BITS
#define LEARNER_INVERSE_BITS (28 + FX_FRACTION_BITS % 2)
#endif
#if LEARNER_INVERSE_BITS < FX_FRACTION_BITS || LEARNER_INVERSE_BITS > 29 || \
    (LEARNER_INVERSE_BITS - FX_FRACTION_BITS) % 2 != 0
#error "softucb.h: LEARNER_INVERSE_BITS must be FX_FRACTION_BITS and an even number, at most 29"
#endif

enum {
    d = LEARNER_D,
    ARMS = LEARNER_ARMS,
    F = FX_FRACTION_BITS,
    INVERSE = LEARNER_INVERSE_BITS,
    GAMMA = 8,               /* bits of gamma */
    LARGEST_GAMMA = 512 << 8,
    LEAST_GAP = 4,           /* steps */
    BETA = 28,               /* bits of a beta that is learned */
};

_Static_assert((uint64_t)LEARNER_ARMS << FX_FRACTION_BITS <= UINT32_MAX,
               "LEARNER_ARMS: the sum of their weights must fit a word");

/* The features of the arms, written by the caller before the first selection. */
fx_t learner_features[LEARNER_ARMS][LEARNER_D];

static struct {
    fx_t inverse[d][d];    /* V^-1, symmetric, INVERSE bits */
    fx_t means[ARMS];      /* mu */
    fx_t squares[ARMS];    /* q, INVERSE bits */
#ifdef LEARNER_LITERAL
    fx_t b[d];             /* sum of rewards times x */
#endif
    fx_t logarithms[ARMS]; /* ln(99 n) for n from 1 on */
    fx_t gamma, next_gamma;
    uint32_t random;
    uint32_t started;
#ifdef LEARNER_ONLINE
    fx_t beta;             /* BETA bits */
    uint32_t round;
    uint32_t past[2];      /* sum of all terms, 64 bits, low word first */
    fx_t term, norms;      /* of this round: gamma Cov(mu, n), and the sum of n */
#endif
} learner_model;

#define INVERSE_ONE ((fx_t)1 << INVERSE)

/* Rounded to nearest: any other rounding accumulates over the rounds. */
static inline fx_t product(fx_t a, fx_t b, uint32_t right)
{
    const int64_t half = (int64_t)1 << (right - 1);
    return (fx_t)(uint32_t)(uint64_t)(((int64_t)a * b + half) >> right);
}

void learner_reset(void)
{
    uint32_t *const words = (uint32_t *)&learner_model;
    for (uint32_t i = 0; i < sizeof learner_model / 4; ++i) {
        words[i] = 0;
    }
    for (uint32_t i = 0; i < d; ++i) {
        learner_model.inverse[i][i] = INVERSE_ONE;
    }
    /* ln(99 n): of 99 n steps, and F ln 2. */
    const fx_t of_one = (fx_t)(((uint64_t)2977044472u * F) >> (32 - F));
    for (uint32_t n = 1; n <= ARMS; ++n) {
        learner_model.logarithms[n - 1] = fx_log_of(99u * n) + of_one;
    }
    learner_model.random = LEARNER_SEED;
}

/* Computes the values that depend on the features: q of a fresh model. */
static __attribute__((noinline)) void start(void)
{
    for (uint32_t i = 0; i < ARMS; ++i) {
        const uint64_t sum = fx_wide_dot(0, learner_features[i], learner_features[i], d);
        learner_model.squares[i] =
            (fx_t)(2 * F >= INVERSE ? sum >> (2 * F - INVERSE) : sum << (INVERSE - 2 * F));
    }
#ifdef LEARNER_ONLINE
    learner_model.beta = BETA >= F ? (fx_t)((uint32_t)learner_alpha << (BETA - F)) : learner_alpha;
#endif
    learner_model.started = 1;
}

/* sqrt(q) of all arms, rounded down. */
static inline void roots_of_squares(fx_t *norms)
{
    for (uint32_t i = 0; i < ARMS; ++i) {
        norms[i] = fx_sqrt(learner_model.squares[i]) >> ((INVERSE - F) / 2);
    }
}

/* exp(-size) of all arms, in place; each implementation defines it. */
static void exponentials(fx_t *sizes);

#ifdef LEARNER_ONLINE
/* gamma Cov(mu, n) under the weights, by the distances from their means. */
static inline void note_gradient(const fx_t *weights, uint32_t total, const fx_t *norms)
{
    uint64_t of_means = 0, of_norms = 0, both = 0;
    fx_t sum = 0;
    uint32_t failed = 0;
    of_means = fx_wide_dot(0, weights, learner_model.means, ARMS);
    of_norms = fx_wide_dot(0, weights, norms, ARMS);
    const fx_t mean = fx_divide_wide((int64_t)of_means, (fx_t)total, &failed);
    const fx_t norm = fx_divide_wide((int64_t)of_norms, (fx_t)total, &failed);
    for (uint32_t i = 0; i < ARMS; ++i) {
        const fx_t weighted = product(weights[i], fx_subtract_wrap(learner_model.means[i], mean), F);
        both = fx_wide_add(both, weighted, fx_subtract_wrap(norms[i], norm));
        sum = fx_add_wrap(sum, norms[i]);
    }
    const fx_t covariance = fx_divide_wide((int64_t)both, (fx_t)total, &failed);
    learner_model.term = product(learner_model.gamma, covariance, GAMMA);
    learner_model.norms = sum;
}
#endif

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    static fx_t norms[ARMS], weights[ARMS];
    if (!learner_model.started) {
        start();
    }
#ifdef LEARNER_ONLINE
    const fx_t beta = BETA >= F ? learner_model.beta >> (BETA - F) : learner_model.beta;
#else
    const fx_t beta = learner_alpha;
#endif
    roots_of_squares(norms);
    fx_t top = INT32_MIN, best_lower = INT32_MIN;
    for (uint32_t i = 0; i < ARMS; ++i) {
        const fx_t width = product(beta, norms[i], F);
        const fx_t upper = fx_add_wrap(learner_model.means[i], width);
        const fx_t lower = fx_subtract_wrap(learner_model.means[i], width);
        learner_scores[i] = upper;
        top = upper > top ? upper : top;
        best_lower = lower > best_lower ? lower : best_lower;
    }
    uint32_t suboptimal = 0;
    for (uint32_t i = 0; i < ARMS; ++i) {
        suboptimal += learner_scores[i] < best_lower;
        const uint32_t below = (uint32_t)top - (uint32_t)learner_scores[i];
        const uint64_t size = (uint64_t)(uint32_t)learner_model.gamma * below >> GAMMA;
        weights[i] = size > INT32_MAX ? INT32_MAX : (fx_t)size;
    }
    exponentials(weights);
    const fx_t gap = fx_subtract_wrap(top, best_lower);
    uint32_t failed = 0;
    const fx_t gamma =
        fx_divide_wide((int64_t)learner_model.logarithms[suboptimal == 0 ? 0 : suboptimal - 1] << GAMMA,
                       gap < LEAST_GAP ? LEAST_GAP : gap, &failed);
    learner_model.next_gamma = gamma > LARGEST_GAMMA ? LARGEST_GAMMA : gamma;
    uint32_t total = 0;
    for (uint32_t i = 0; i < ARMS; ++i) {
        total += (uint32_t)weights[i];
    }
#ifdef LEARNER_ONLINE
    note_gradient(weights, total, norms);
#endif
    const uint32_t mark = random_below(&learner_model.random, total);
    uint32_t arm = 0;
    for (uint32_t sum = (uint32_t)weights[0]; sum <= mark; sum += (uint32_t)weights[arm]) {
        ++arm;
    }
#if LEARNER_PROPENSITY
    learner_propensity = propensity_of((uint32_t)weights[arm], total);
#endif
    return arm;
}

#ifdef LEARNER_ONLINE
#ifndef LEARNER_HORIZON
#define LEARNER_HORIZON 2048 /* T */
#endif
#ifndef LEARNER_RATE_Q20
#define LEARNER_RATE_Q20 10486 /* 0.01 */
#endif
#ifndef LEARNER_ETA_Q20
#define LEARNER_ETA_Q20 10486 /* 0.01 */
#endif

/* beta += rate / T (sum of all terms + (T - t) term + eta sum of n), at least 1/1024. */
static inline void move_beta(void)
{
    const uint32_t round = ++learner_model.round;
    const uint32_t left = round < LEARNER_HORIZON ? LEARNER_HORIZON - round : 0;
    uint64_t past = (uint64_t)learner_model.past[1] << 32 | learner_model.past[0];
    past += (uint64_t)(int64_t)learner_model.term;
    learner_model.past[0] = (uint32_t)past;
    learner_model.past[1] = (uint32_t)(past >> 32);
    const int64_t total = (int64_t)past + (int64_t)left * learner_model.term +
                          (((int64_t)LEARNER_ETA_Q20 * learner_model.norms) >> 20);
    /* rate / T has 40 bits, the sum F; below 2^63 for sums below 2^15. */
    const int64_t rate = ((int64_t)LEARNER_RATE_Q20 << 20) / LEARNER_HORIZON;
    const int64_t moved = learner_model.beta + ((total * rate) >> (F + 40 - BETA));
    const fx_t least = 1 << (BETA - 10), most = INT32_MAX;
    learner_model.beta = moved < least ? least : moved > most ? most : (fx_t)moved;
}
#endif

/* V^-1, mu and q after a reward; each implementation defines it. */
static void learn(const fx_t *x, uint32_t arm, fx_t reward);

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    learn(learner_features[chosen], chosen, reward);
    learner_model.gamma = learner_model.next_gamma;
#ifdef LEARNER_ONLINE
    move_beta();
#endif
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}

#endif
