/*
 * Disjoint LinUCB, optimized, on the scalar core: A^-1 as its lower triangle, theta stored next to it
 * and updated with it, so b is not needed.
 */
#include "scaled.h"
#ifdef LEARNER_THOMPSON
#include "thompson.h"
#endif
#ifdef LEARNER_GAMMA
#include "square_cb.h"
#endif
#ifdef LEARNER_FORGETTING
#include "forgetting.h"
#endif

enum { d = SCALED_D, TRIANGLE = SCALED_D * (SCALED_D + 1) / 2 };

struct arm {
    fx_t inverse[TRIANGLE]; /* row after row, up to the diagonal */
    fx_t theta[d];
    int32_t scale;
};

static struct {
    struct arm arms[LEARNER_ARMS];
#ifdef LEARNER_WINDOW
    fx_t window[WINDOW_WORDS];
#endif
#ifdef LEARNER_THOMPSON
    uint32_t draws; /* normal numbers of the selections so far */
#endif
#ifdef LEARNER_GAMMA
    uint32_t random;
#endif
#ifdef LEARNER_FORGETTING
    uint32_t turn; /* coordinate to renew */
#endif
} learner_model;

#include "scaled_context.h"

void learner_reset(void)
{
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        struct arm *const arm = &learner_model.arms[a];
        fx_t *at = arm->inverse;
        for (uint32_t i = 0; i < d; ++i) {
            for (uint32_t j = 0; j < i; ++j) {
                *at++ = 0;
            }
            *at++ = INVERSE_ONE;
            arm->theta[i] = 0;
        }
        arm->scale = 0;
    }
#ifdef LEARNER_WINDOW
    clear_window(learner_model.window);
#endif
#ifdef LEARNER_THOMPSON
    learner_model.draws = 0;
#endif
#ifdef LEARNER_GAMMA
    learner_model.random = LEARNER_SEED;
#endif
#ifdef LEARNER_FORGETTING
    learner_model.turn = 0;
#endif
}

/* Harts that share one triangle: below 16 rows synchronization takes longer. Measured. */
#if SCALED_D < 16
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

/* y (A_ii y + 2 below), Q28, with A_ii in Q30, below in Q29. */
INLINE uint32_t row_of_quadratic(uint32_t below, fx_t diagonal, fx_t y)
{
    return (uint32_t)high((int32_t)(2u * below + (uint32_t)high(diagonal, y)), y);
}

/*
 * Part of rows first .. end in t = sum of y_i (A_ii y_i + 2 sum_j<i A_ij y_j), Q28. Two rows at a
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
            const fx_t y = scaled[j], y_next = scaled[j + 1];
            below += (uint32_t)high(row[j], y) + (uint32_t)high(row[j + 1], y_next);
            below_next += (uint32_t)high(next[j], y) + (uint32_t)high(next[j + 1], y_next);
        }
        if (j < i) {
            below += (uint32_t)high(row[j], scaled[j]);
            below_next += (uint32_t)high(next[j], scaled[j]);
        }
        const fx_t y = scaled[i], y_next = scaled[i + 1];
        below_next += (uint32_t)high(next[i], y);
        t += row_of_quadratic(below, row[i], y);
        t += row_of_quadratic(below_next, next[i + 1], y_next);
        row = next + i + 2;
    }
    if (i < end) {
        uint32_t below = 0;
        for (uint32_t j = 0; j < i; ++j) {
            below += (uint32_t)high(row[j], scaled[j]);
        }
        t += row_of_quadratic(below, row[i], scaled[i]);
    }
    return t;
}

static void set_score(uint32_t arm, uint32_t t)
{
    const struct arm *const scored = &learner_model.arms[arm];
#ifdef LEARNER_GAMMA
    (void)t; /* no result uses it, so it is not computed */
    learner_scores[arm] = predicted(scored->theta);
#else
#ifdef LEARNER_THOMPSON
    const fx_t alpha = drawn_weight(learner_alpha, learner_model.draws + arm);
#else
    const fx_t alpha = learner_alpha;
#endif
    learner_scores[arm] =
        upper_bound(predicted(scored->theta), alpha, (int32_t)(t << 2), exponent + scored->scale);
#endif
}

/* Arms left after every hart has the same number. */
#ifdef LEARNER_GAMMA
enum { LEFT = 0, EVEN = LEARNER_ARMS };
#else
enum { LEFT = SHARERS > 1 ? LEARNER_ARMS % LEARNER_HARTS : 0, EVEN = LEARNER_ARMS - LEFT };
#endif

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
#ifdef LEARNER_THOMPSON
    if (hart == 0) {
        learner_model.draws += LEARNER_ARMS; /* the other harts read it only after the next barrier */
    }
#endif
#ifdef LEARNER_GAMMA
    return hart == 0 ? drawn_arm(&learner_model.random) : 0;
#else
    return learner_best_arm();
#endif
}

/* Data of one update that harts exchange. */
static struct arm *chosen_arm;
static int32_t partial[SHARERS][d]; /* of v = A^-1 y in Q29 */
static int32_t v[d], w[d];
static uint32_t left, right; /* of the products of v and w, to Q30 */
static int32_t traces[SHARERS];

/* Part of its rows in v: each element serves its row and its column. */
INLINE void times_context(uint32_t hart)
{
    const uint32_t first = first_row(hart), end = first_row(hart + 1);
    const fx_t *row = chosen_arm->inverse + first * (first + 1) / 2;
    int32_t *const sums = partial[hart];
    for (uint32_t i = 0; i < first; ++i) {
        sums[i] = 0;
    }
    for (uint32_t i = first; i < end; ++i) {
        const fx_t y = scaled[i];
        uint32_t sum = 0;
        for (uint32_t j = 0; j < i; ++j) {
            const fx_t a = row[j];
            sum += (uint32_t)high(a, scaled[j]);
            sums[j] = (int32_t)((uint32_t)sums[j] + (uint32_t)high(a, y));
        }
        sums[i] = (int32_t)(sum + (uint32_t)high(row[i], y));
        row += i + 1;
    }
}

/* Its rows of A^-1, less the products of v and w, rounded down, and their part of the trace. */
INLINE void subtract_products(uint32_t hart)
{
    const uint32_t first = first_row(hart), end = first_row(hart + 1);
    const uint32_t to_left = left, to_right = right;
    fx_t *at = chosen_arm->inverse + first * (first + 1) / 2;
    int32_t trace = 0;
    for (uint32_t i = first; i < end; ++i) {
        const int32_t factor = w[i];
        fx_t rest = 0;
        for (uint32_t j = 0; j <= i; ++j, ++at) {
            const int32_t change = (int32_t)((uint32_t)high(factor, v[j]) << to_left) >> to_right;
            rest = (fx_t)((uint32_t)*at - (uint32_t)change);
            *at = rest;
        }
        trace += rest >> (30 - TRACE_BITS);
    }
    traces[hart] = trace;
}

/* From the parts of v to v, w and theta. */
static void gains(fx_t reward)
{
    struct arm *const arm = chosen_arm;
    const int32_t both = exponent + arm->scale;
    uint32_t t = 0; /* Q28 */
    for (uint32_t i = 0; i < d; ++i) {
        uint32_t sum = 0;
        for (uint32_t hart = 0; hart < SHARERS; ++hart) {
            if (i < first_row(hart + 1)) {
                sum += (uint32_t)partial[hart][i];
            }
        }
        v[i] = (int32_t)(sum << 1); /* Q30 */
        t += (uint32_t)high((int32_t)sum, scaled[i]);
    }
    const struct change_of_weights change =
        change_of(reward, arm->theta, (int32_t)(t << 2), arm->scale);
    for (uint32_t i = 0; i < d; ++i) {
        w[i] = weight_of_change(v[i], change);
        change_weight(&arm->theta[i], w[i] >> arm->scale, change);
    }
    left = both < 1 ? (uint32_t)(1 - both) : 0; /* products are in Q29 and both more */
    right = both < 1 ? 0 : (uint32_t)(both - 1);
}

/* The scale follows A^-1; it rarely changes, as 4^scale follows the plays. */
INLINE void follow_trace(void)
{
    int32_t trace = 0;
    for (uint32_t hart = 0; hart < SHARERS; ++hart) {
        trace += traces[hart];
    }
    const int32_t growth = growth_of_scale(trace, chosen_arm->scale);
    if (growth != 0) {
        for (uint32_t i = 0; i < TRIANGLE; ++i) {
            chosen_arm->inverse[i] = (fx_t)((uint32_t)chosen_arm->inverse[i] << (2 * growth));
        }
        chosen_arm->scale += growth;
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
#ifdef LEARNER_FORGETTING
    for (uint32_t a = 0; a < LEARNER_ARMS; ++a) {
        struct arm *const arm = &learner_model.arms[a];
        forget(arm->inverse, arm->theta, &arm->scale, learner_model.turn);
    }
    learner_model.turn = learner_model.turn + 1 < d ? learner_model.turn + 1 : 0;
#endif
    chosen_arm = &learner_model.arms[chosen];
    scale_context();
    wait_for_sharers(0);
    times_context(0);
    wait_for_sharers(0);
    gains(reward);
    wait_for_sharers(0);
    subtract_products(0);
    wait_for_sharers(0);
    follow_trace();
#ifdef LEARNER_WINDOW
    push_context(learner_model.window);
#endif
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
