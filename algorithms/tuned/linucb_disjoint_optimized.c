/*
 * Disjoint LinUCB, optimised, on the scalar core: A^-1 as its lower triangle, theta kept beside it
 * and moved along with it, so b is not needed.
 */
#include "scaled.h"

enum { d = LEARNER_D, TRIANGLE = LEARNER_D * (LEARNER_D + 1) / 2 };

struct arm {
    fx_t inverse[TRIANGLE]; /* row after row, up to the diagonal */
    fx_t theta[d];
};

static struct {
    struct arm arms[LEARNER_ARMS];
} learner_model;

/* Of one step: y, and k. */
static fx_t scaled[d];
static int32_t exponent;

void learner_reset(void)
{
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        struct arm *const arm = &learner_model.arms[a];
        fx_t *at = arm->inverse;
        for (uint32_t i = 0; i < d; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                *at++ = 0;
            }
            *at++ = FX_ONE;
            arm->theta[i] = 0;
        }
    }
}

/* Low words are enough: the sum of the squares must fit one. */
static void scale_context(void)
{
    uint32_t squares = 0;
    for (uint32_t i = 0; i < d; ++i) {
        const int64_t square = (int64_t)learner_context[i] * learner_context[i];
        squares += (uint32_t)((uint64_t)square >> 15);
    }
    const int32_t k = scale_exponent(squares);
    for (uint32_t i = 0; i < d; ++i) {
        const fx_t x = learner_context[i];
        scaled[i] = k >= 0 ? (fx_t)((uint32_t)x << k) : x >> -k;
    }
    exponent = k;
}

/* Harts that share one triangle: below 16 rows waiting for each other takes longer. Measured. */
#if LEARNER_D < 16
#define SHARERS 1
#else
#define SHARERS LEARNER_HARTS
#endif

/* First row of a hart's share of the triangle: d sqrt(hart / SHARERS), nearly. */
INLINE uint32_t first_row(uint32_t hart)
{
#if SHARERS == 1
    return hart * d;
#elif SHARERS == 2
    return hart == 0 ? 0 : hart == 2 ? d : d * 181u / 256u;
#elif SHARERS == 3
    return hart == 0 ? 0 : hart == 3 ? d : hart == 1 ? d * 148u / 256u : d * 209u / 256u;
#else
    return hart * d / SHARERS;
#endif
}

/* Sum of 64-bit products, rounded down once. */
INLINE fx_t predicted(const struct arm *arm)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < d; ++i) {
        sum = (int64_t)((uint64_t)sum +
                        (uint64_t)((int64_t)arm->theta[i] * (int64_t)learner_context[i]));
    }
    return (fx_t)(uint32_t)(uint64_t)(sum >> 15);
}

/* Of two Q30 numbers below 1, or nearly: Q30, the last two digits 0. */
INLINE int32_t high_product(int32_t a, int32_t b)
{
    return (int32_t)(uint32_t)((uint64_t)((int64_t)a * b) >> 32 << 2);
}

/* y (A_ii y + 2 below), Q30. */
INLINE uint32_t row_of_quadratic(uint32_t below, uint32_t diagonal, uint32_t y)
{
    const int32_t factor = (int32_t)(y << 15);
    return 2u * (uint32_t)high_product((int32_t)below, factor) +
           (uint32_t)high_product((int32_t)(diagonal * y), factor);
}

/*
 * What rows first .. end give of t = sum of y_i (A_ii y_i + 2 sum_j<i A_ij y_j). Two rows at a
 * time, so that an element of y is loaded once for both.
 */
INLINE uint32_t quadratic(const struct arm *arm, uint32_t first, uint32_t end)
{
    const fx_t *row = arm->inverse + first * (first + 1) / 2;
    uint32_t t = 0, i = first;
    for (; i + 1 < end; i += 2) {
        const fx_t *const next = row + i + 1;
        uint32_t below = 0, below_next = 0;
        uint32_t j = 0;
        for (; j + 2 <= i; j += 2) {
            const uint32_t y = (uint32_t)scaled[j], y_next = (uint32_t)scaled[j + 1];
            below += (uint32_t)row[j] * y + (uint32_t)row[j + 1] * y_next;
            below_next += (uint32_t)next[j] * y + (uint32_t)next[j + 1] * y_next;
        }
        if (j < i) {
            below += (uint32_t)row[j] * (uint32_t)scaled[j];
            below_next += (uint32_t)next[j] * (uint32_t)scaled[j];
        }
        const uint32_t y = (uint32_t)scaled[i], y_next = (uint32_t)scaled[i + 1];
        below_next += (uint32_t)next[i] * y;
        t += row_of_quadratic(below, (uint32_t)row[i], y);
        t += row_of_quadratic(below_next, (uint32_t)next[i + 1], y_next);
        row = next + i + 2;
    }
    if (i < end) {
        uint32_t below = 0;
        for (uint32_t j = 0; j < i; ++j) {
            below += (uint32_t)row[j] * (uint32_t)scaled[j];
        }
        t += row_of_quadratic(below, (uint32_t)row[i], (uint32_t)scaled[i]);
    }
    return t;
}

static void set_score(uint32_t arm, uint32_t t)
{
    learner_scores[arm] =
        upper_bound(predicted(&learner_model.arms[arm]), learner_alpha, (int32_t)t, exponent);
}

/* Arms that are left when every hart has as many. */
enum { LEFT = SHARERS > 1 ? LEARNER_ARMS % LEARNER_HARTS : 0, EVEN = LEARNER_ARMS - LEFT };

GNOMON_REGION uint32_t learner_select(int hart)
{
    static uint32_t parts[LEARNER_HARTS][LEFT + 1];
    const uint32_t own = (uint32_t)hart;
    if (hart == 0) {
        scale_context();
    }
    learner_wait_for_all(hart);
    const uint32_t end = (own + 1) * EVEN / LEARNER_HARTS;
    for (uint32_t arm = own * EVEN / LEARNER_HARTS; arm < end; ++arm) {
        set_score(arm, quadratic(&learner_model.arms[arm], 0, d));
    }
    if (LEFT != 0) { /* each is shared by rows */
        for (uint32_t i = 0; i < LEFT; ++i) {
            parts[own][i] =
                quadratic(&learner_model.arms[EVEN + i], first_row(own), first_row(own + 1));
        }
        learner_wait_for_all(hart);
        if (own < LEFT) {
            uint32_t t = 0;
            for (uint32_t other = 0; other < LEARNER_HARTS; ++other) {
                t += parts[other][own];
            }
            set_score(EVEN + own, t);
        }
    }
    learner_wait_for_all(hart);
    return learner_best_arm();
}

/* Of one update, from hart to hart. */
static struct arm *chosen_arm;
static int32_t partial[SHARERS][d]; /* of v = A^-1 y in Q30 */
static int32_t v[d], w[d];

/* What its rows give of v: each element serves its row and its column. */
INLINE void times_context(uint32_t hart)
{
    const uint32_t first = first_row(hart), end = first_row(hart + 1);
    const fx_t *row = chosen_arm->inverse + first * (first + 1) / 2;
    int32_t *const sums = partial[hart];
    for (uint32_t i = 0; i < first; ++i) {
        sums[i] = 0;
    }
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t y = (uint32_t)scaled[i];
        uint32_t sum = 0;
        for (uint32_t j = 0; j < i; ++j) {
            const uint32_t a = (uint32_t)row[j];
            sum += a * (uint32_t)scaled[j];
            sums[j] = (int32_t)((uint32_t)sums[j] + a * y);
        }
        sums[i] = (int32_t)(sum + (uint32_t)row[i] * y);
        row += i + 1;
    }
}

/* Its rows of A^-1, less the products of v (Q26) and w (Q22), rounded to nearest. */
INLINE void subtract_products(uint32_t hart)
{
    const uint32_t first = first_row(hart), end = first_row(hart + 1);
    fx_t *at = chosen_arm->inverse + first * (first + 1) / 2;
    for (uint32_t i = first; i < end; ++i) {
        const int32_t factor = w[i];
        for (uint32_t j = 0; j <= i; ++j, ++at) {
            const int32_t twice = (int32_t)(((int64_t)factor * v[j]) >> 32); /* Q16 */
            *at = (fx_t)((uint32_t)*at - (uint32_t)((twice + 1) >> 1));
        }
    }
}

INLINE int32_t shifted(int32_t value, int32_t right)
{
    return right >= 0 ? value >> (right > 31 ? 31 : right) : (int32_t)((uint32_t)value << -right);
}

/* From the parts of v to v, w and theta. */
static void gains(fx_t reward)
{
    struct arm *const arm = chosen_arm;
    uint32_t t = 0;
    for (uint32_t i = 0; i < d; ++i) {
        uint32_t sum = 0;
        for (uint32_t hart = 0; hart < SHARERS; ++hart) {
            if (i < first_row(hart + 1)) {
                sum += (uint32_t)partial[hart][i];
            }
        }
        v[i] = (int32_t)sum;
        t += (uint32_t)high_product(v[i], (int32_t)((uint32_t)scaled[i] << 15));
    }
    const struct reciprocal inverse = reciprocal_of((int32_t)t, exponent);
    const fx_t surprise = (fx_t)((uint32_t)reward - (uint32_t)predicted(arm));
    for (uint32_t i = 0; i < d; ++i) {
        v[i] >>= 4; /* Q26 */
        const int32_t quotient =
            (int32_t)(uint32_t)(uint64_t)((int64_t)v[i] * (int64_t)inverse.factor >> 15);
        w[i] = shifted(quotient, inverse.shift - 11); /* Q22, v / (4^k + t) */
        const int32_t gain = shifted(quotient, inverse.shift - 11 - exponent);
        const int32_t change =
            (int32_t)(uint32_t)(uint64_t)((int64_t)gain * (int64_t)surprise >> 15);
        arm->theta[i] = (fx_t)((uint32_t)arm->theta[i] + (uint32_t)((change + 64) >> 7));
    }
}

INLINE void wait_for_sharers(int hart)
{
    if (SHARERS > 1) {
        learner_wait_for_all(hart);
    }
}

void learner_help_update(int hart)
{
    if (SHARERS == 1) {
        return;
    }
    wait_for_sharers(hart);
    times_context((uint32_t)hart);
    wait_for_sharers(hart);
    wait_for_sharers(hart);
    subtract_products((uint32_t)hart);
    wait_for_sharers(hart);
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    chosen_arm = &learner_model.arms[chosen];
    scale_context();
    wait_for_sharers(0);
    times_context(0);
    wait_for_sharers(0);
    gains(reward);
    wait_for_sharers(0);
    subtract_products(0);
    wait_for_sharers(0);
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
