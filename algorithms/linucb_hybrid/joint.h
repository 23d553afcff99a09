/*
 * Hybrid LinUCB as one regression. docs/notes/tuned-hybrid.md derives it.
 *
 * An arm with features phi predicts beta^T (phi (x) x) + theta^T x, which is psi^T x with
 * psi = theta + (beta, feature by feature) phi. The state of the learner for the psi of all arms is
 * one mean of n = d arms numbers and one covariance of n x n, however many features there are:
 * before the first step
 *     P_ab = (phi_a^T phi_b + [a = b]) I,
 * and after the context x on arm c with s = x^T P_cc x, q = P_.c x
 *     psi += q (reward - psi_c^T x) / (1 + s),    P -= q q^T / (1 + s).
 * The score is psi_a^T x + alpha sqrt(x^T P_aa x).
 *
 * Each arm has a scale: P_ab 2^(scale_a + scale_b) is stored, and psi_a 2^scale_a. No element of the
 * former exceeds 1, and it is doubled as the arm learns, so it keeps its precision.
 */
#ifndef JOINT_H
#define JOINT_H

#include "scaled.h"

#ifndef LEARNER_F
#error "joint.h: define LEARNER_F: features of an arm"
#endif

enum {
    d = LEARNER_D,
    f = LEARNER_F,
    ARMS = LEARNER_ARMS,
    n = LEARNER_D * LEARNER_ARMS,
    COVARIANCE_BITS = 30,
    MEAN_BITS = 20, /* of rewards and scores, too, before they are rounded */
    LARGEST_ARM_SCALE = 20,
};

/*
 * With PAPER_COUNT_OVERFLOWS, for experiments on the host with the scalar variant, overflows of the
 * range are counted by the kinds of paper_fixed.h; results stay the same. Included once per program.
 */
#ifdef PAPER_COUNT_OVERFLOWS
uint64_t paper_overflows[6];
#define COUNT_OVERFLOW(kind, condition) (paper_overflows[kind] += (condition))
#else
#define COUNT_OVERFLOW(kind, condition) ((void)0)
#endif
enum { OVERFLOW_ADD, OVERFLOW_SUBTRACT, OVERFLOW_MULTIPLY };

/* The low word. */
INLINE int32_t word_of(uint32_t kind, int64_t exact)
{
    (void)kind;
    const int32_t word = (int32_t)(uint32_t)(uint64_t)exact;
    COUNT_OVERFLOW(kind, word != exact);
    return word;
}

/* Of 2^-right. To the left it saturates. */
INLINE int32_t shifted(int32_t value, int32_t right)
{
    if (right >= 0) {
        return value >> (right > 31 ? 31 : right);
    }
    const int32_t left = -right;
    if (value == 0) {
        return 0;
    }
    if (left > 30 || (int32_t)((uint32_t)value << left) >> left != value) {
        COUNT_OVERFLOW(OVERFLOW_MULTIPLY, 1);
        return value < 0 ? INT32_MIN : INT32_MAX;
    }
    return (int32_t)((uint32_t)value << left);
}

/* To nearest; 0 <= right. */
INLINE int32_t rounded(int32_t value, int32_t right)
{
    if (right == 0) {
        return value;
    }
    return right > 31 ? 0 : ((value >> (right - 1)) + 1) >> 1;
}

INLINE int32_t saturating_sum(int32_t a, int32_t b)
{
    const int32_t sum = (int32_t)((uint32_t)a + (uint32_t)b);
    if (((a ^ sum) & (b ^ sum)) < 0) {
        COUNT_OVERFLOW(OVERFLOW_ADD, 1);
        return a < 0 ? INT32_MIN : INT32_MAX;
    }
    return sum;
}

/* The upper half of a product. */
INLINE uint32_t high_unsigned(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

/*
 * 1 / sqrt(value), Q31, for value in Q30 from 1 up: a straight line, at most 8.6 % off, and three
 * steps of Newton's method. Relative error below 2^-23.
 */
INLINE uint32_t inverse_root(uint32_t value)
{
    uint32_t root = 2290059490u - high_unsigned(value, 1308605668u);
    for (int step = 0; step < 3; ++step) {
        const uint32_t square = high_unsigned(root, root);              /* Q30 */
        const uint32_t product = high_unsigned(value, square);          /* Q28 */
        root = high_unsigned(root, (3u << 30) - (product << 2)) << 1;
    }
    return root;
}

/* A number below 2 as m 4^-pairs, m in Q30 from 1 up. */
struct normal {
    uint32_t m;
    int32_t pairs;
};

INLINE struct normal normalised(uint32_t value)
{
    const int32_t pairs = (int32_t)(leading_zeros(value) >> 1);
    return (struct normal){value << (2 * pairs), pairs};
}

/* alpha 2^bits below 1 in Q30, so that products keep their digits. */
struct weight {
    int32_t alpha, bits;
};

INLINE struct weight weight_of(fx_t alpha)
{
    const uint32_t magnitude = alpha < 0 ? 0u - (uint32_t)alpha : (uint32_t)alpha;
    const int32_t bits = magnitude == 0 ? 0 : (int32_t)leading_zeros(magnitude) - 1;
    if (bits < 0) { /* the smallest number */
        return (struct weight){-INT32_MAX, 0};
    }
    return (struct weight){(int32_t)((uint32_t)alpha << bits), bits};
}

/*
 * The score of an arm: mean in Q20, t in Q30, both scaled; 0 or less of t counts as 0.
 * The context was scaled by 2^k. Q20.
 */
INLINE int32_t joint_score(int32_t mean, int32_t t, struct weight weight, int32_t scale, int32_t k)
{
    const int32_t expected = shifted(mean, scale);
    if (t <= 0) {
        return expected;
    }
    const struct normal normal = normalised((uint32_t)t);
    const uint32_t root = high_unsigned(normal.m, inverse_root(normal.m)); /* Q29 */
    const int32_t width = high(weight.alpha, (int32_t)(root << 1));        /* Q13 and bits */
    return saturating_sum(expected,
                          shifted(width, weight.bits - 7 + normal.pairs + scale + k));
}

/* The scores of the last selection in Q20; those in learner_scores are rounded down from them. */
static int32_t fine_scores[ARMS];

INLINE void set_score(uint32_t arm, int32_t score)
{
    fine_scores[arm] = score;
    learner_scores[arm] = score >> (MEAN_BITS - 15);
}

INLINE uint32_t best_arm(void)
{
    uint32_t best = 0;
    int32_t highest = fine_scores[0];
    for (uint32_t arm = 1; arm < ARMS; ++arm) {
        const int32_t score = fine_scores[arm];
        if (score > highest) {
            highest = score;
            best = arm;
        }
    }
    return best;
}

/* Effect of an update with q: v = factor 2^(pairs - up) q, the covariance loses v v^T. */
struct gain {
    uint32_t factor; /* Q31, above 1/2 */
    int32_t pairs, up;
    int32_t mean; /* the mean gains v 2^up mean 2^-mean_right; Q20 */
    int32_t mean_right; /* 0 or more */
};

/* The reward (Q15) less the prediction, Q20, below 512 in magnitude. */
INLINE int32_t surprise(fx_t reward, int32_t expected)
{
    const int32_t limit = (512 << MEAN_BITS) - 1;
    const int32_t difference = saturating_sum(shifted(reward, 15 - MEAN_BITS),
                                              expected == INT32_MIN ? INT32_MAX : -expected);
    COUNT_OVERFLOW(OVERFLOW_SUBTRACT, difference > limit || difference < -limit);
    return difference > limit ? limit : difference < -limit ? -limit : difference;
}

/*
 * From t = y^T P_cc y of the arm in Q30, 0 or less counting as 0, and the surprise in Q20. With
 * K = k + scale, 1 + s = 4^-K (4^K + t). 4^K below 2^-30 counts as 2^-30.
 */
INLINE struct gain gain_of(int32_t t, int32_t surprise, int32_t scale, int32_t k)
{
    const int32_t exponent = k + scale;
    const int32_t up = exponent > 0 ? exponent : 0;
    const int32_t below = up - exponent;
    const uint32_t one = below > 15 ? 1u : 1u << (COVARIANCE_BITS - 2 * below);
    const uint32_t positive = t < 0 ? 0u : (uint32_t)t;
    const struct normal normal = normalised(one + (up > 15 ? 0u : positive >> (2 * up)));
    const uint32_t factor = inverse_root(normal.m);
    return (struct gain){
        .factor = factor,
        .pairs = normal.pairs,
        .up = up,
        .mean = (int32_t)(((int64_t)surprise * (int64_t)factor) >> 31),
        .mean_right = 2 * up - exponent - normal.pairs,
    };
}

/* ---- features ------------------------------------------------------------------------------- */

/* phi_a^T phi_b, Q30. */
INLINE int64_t features_product(uint32_t a, uint32_t b)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < f; ++i) {
        sum = (int64_t)((uint64_t)sum + (uint64_t)((int64_t)learner_features[a][i] *
                                                   (int64_t)learner_features[b][i]));
    }
    return sum;
}

/* The largest scale with (1 + |phi|^2) 4^scale <= 1: 0 or less. */
static int32_t first_scale(uint32_t arm)
{
    const int64_t variance = ((int64_t)1 << 30) + features_product(arm, arm);
    int32_t scale = 0;
    while (scale > -16 && variance > ((int64_t)1 << (30 - 2 * scale))) {
        --scale;
    }
    return scale;
}

/* P_ab of a fresh model, scaled: of equal components of the context; others have 0. */
INLINE int32_t first_covariance(uint32_t a, uint32_t b, const fx_t *scales)
{
    const int64_t one = a == b ? (int64_t)1 << 30 : 0;
    return (int32_t)((features_product(a, b) + one) >> -(scales[a] + scales[b]));
}

#endif
