/*
 * Hybrid LinUCB on the scalar core: the covariance of all arms as its lower triangle, row i being
 * component i mod d of arm i / d. joint.h defines it.
 */
#include "joint.h"

enum { TRIANGLE = n * (n + 1) / 2 };

static struct {
    fx_t covariance[TRIANGLE]; /* row after row, up to the diagonal */
    fx_t mean[n];
    fx_t scale[ARMS];
    fx_t features[ARMS][f]; /* that the model belongs to */
} learner_model;

INLINE fx_t *row_of(uint32_t i)
{
    return learner_model.covariance + i * (i + 1) / 2;
}

void learner_reset(void)
{
    for (uint32_t a = 0; a < ARMS; ++a) {
        learner_model.scale[a] = first_scale(a);
        for (uint32_t i = 0; i < f; ++i) {
            learner_model.features[a][i] = learner_features[a][i];
        }
    }
    for (uint32_t i = 0; i < TRIANGLE; ++i) {
        learner_model.covariance[i] = 0;
    }
    for (uint32_t i = 0; i < n; ++i) {
        learner_model.mean[i] = 0;
    }
    for (uint32_t a = 0; a < ARMS; ++a) {
        for (uint32_t b = 0; b <= a; ++b) {
            const fx_t value = first_covariance(a, b, learner_model.scale);
            for (uint32_t r = 0; r < d; ++r) {
                row_of(a * d + r)[b * d + r] = value;
            }
        }
    }
}

/* Of one step: y = 2^exponent x, in Q31. */
static int32_t scaled[d];
static int32_t exponent;

static void scale_context(void)
{
    uint32_t squares = 0;
    for (uint32_t i = 0; i < d; ++i) {
        const int64_t square = (int64_t)learner_context[i] * learner_context[i];
        COUNT_OVERFLOW(OVERFLOW_MULTIPLY, (square >> 15) + squares > INT32_MAX - LEARNER_D);
        squares += (uint32_t)((uint64_t)square >> 15);
    }
    const int32_t k = scale_exponent(squares);
    for (uint32_t i = 0; i < d; ++i) {
        scaled[i] = (int32_t)((uint32_t)learner_context[i] << (k + 16));
    }
    exponent = k;
}

/* psi^T x scaled, Q20: 64-bit products, rounded down once. */
INLINE int32_t predicted(uint32_t arm)
{
    const fx_t *const mean = learner_model.mean + arm * d;
    int64_t sum = 0;
    for (uint32_t r = 0; r < d; ++r) {
        sum = (int64_t)((uint64_t)sum +
                        (uint64_t)((int64_t)mean[r] * (int64_t)learner_context[r]));
    }
    return word_of(OVERFLOW_MULTIPLY, sum >> 15);
}

/* t = y^T P_aa y in Q30, from products rounded down to Q29 and then Q28. */
INLINE int32_t variance(uint32_t arm)
{
    const fx_t *row = row_of(arm * d) + arm * d;
    uint32_t t = 0;
    for (uint32_t r = 0; r < d; ++r) {
        uint32_t below = 0;
        for (uint32_t s = 0; s < r; ++s) {
            below += (uint32_t)high(row[s], scaled[s]);
        }
        const uint32_t sum = 2u * below + (uint32_t)high(row[r], scaled[r]);
        t += (uint32_t)high((int32_t)sum, scaled[r]);
        row += arm * d + r + 1;
    }
    return (int32_t)(t << 2);
}

/* Number of words that differ from the features of the model. */
INLINE uint32_t features_changed(uint32_t first, uint32_t end)
{
    const fx_t *now = learner_features[first];
    const fx_t *then = learner_model.features[first];
    uint32_t changed = 0;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < (end - first) * f; ++i) {
        changed |= (uint32_t)(now[i] ^ then[i]);
    }
    return changed;
}

/* A model belongs to the features at its start: other features start a fresh one. */
GNOMON_REGION uint32_t learner_select(int hart)
{
    static uint32_t changed[LEARNER_HARTS];
    const uint32_t own = (uint32_t)hart;
    const uint32_t first = own * ARMS / LEARNER_HARTS, end = (own + 1) * ARMS / LEARNER_HARTS;
    if (hart == 0) {
        scale_context();
    }
    changed[own] = features_changed(first, end);
    learner_wait_for_all(hart);
    uint32_t any = 0;
    for (uint32_t other = 0; other < LEARNER_HARTS; ++other) {
        any |= changed[other];
    }
    if (any != 0) {
        learner_wait_for_all(hart); /* all have read `changed` and the old features */
        if (hart == 0) {
            learner_reset();
        }
        learner_wait_for_all(hart);
    }
    const struct weight weight = weight_of(learner_alpha);
    for (uint32_t arm = first; arm < end; ++arm) {
        set_score(arm, joint_score(predicted(arm), variance(arm), weight, learner_model.scale[arm],
                                   exponent));
    }
    learner_wait_for_all(hart);
    return best_arm();
}

/* ---- update --------------------------------------------------------------------------------- */

/* Harts that share an update: below 16 rows synchronization takes longer. */
#if LEARNER_D * LEARNER_ARMS < 16
#define SHARERS 1
#else
#define SHARERS LEARNER_HARTS
#endif

INLINE void wait_for_sharers(int hart)
{
    if (SHARERS > 1) {
        learner_wait_for_all(hart);
    }
}

/* First row of a hart's share, if rows take the same time, and if they grow. */
INLINE uint32_t first_of_equal(uint32_t hart)
{
    return hart * n / SHARERS;
}

INLINE uint32_t first_of_growing(uint32_t hart)
{
#if SHARERS == 1
    return hart * n;
#elif SHARERS == 2
    return hart == 0 ? 0 : hart == 2 ? n : n * 181u / 256u;
#elif SHARERS == 3
    return hart == 0 ? 0 : hart == 3 ? n : hart == 1 ? n * 148u / 256u : n * 209u / 256u;
#else
    return hart * n / SHARERS;
#endif
}

/* Data of one update that harts exchange. */
static uint32_t chosen_row; /* of the covariance, the first of the arm */
static struct gain gain;
static int32_t q[n]; /* P_.c y, Q29 */
static int32_t v[n]; /* Q31 */

/*
 * As the arm learns, its covariance falls. When the sum of its diagonal is below 1/4 it is doubled
 * along both sides, unless its means are so large that they could overflow.
 */
static void rescale(uint32_t chosen)
{
    const uint32_t first = chosen * d;
    uint32_t trace = 0, size = 0;
    for (uint32_t i = first; i < first + d; ++i) {
        const fx_t mean = learner_model.mean[i];
        trace += (uint32_t)row_of(i)[i] >> 8;
        size += (mean < 0 ? 0u - (uint32_t)mean : (uint32_t)mean) >> 8;
    }
    if (trace >= 1u << 20 || size >= 1u << 20 || learner_model.scale[chosen] >= LARGEST_ARM_SCALE) {
        return;
    }
    learner_model.scale[chosen] += 1;
    for (uint32_t i = first; i < first + d; ++i) {
        learner_model.mean[i] *= 2;
        for (uint32_t j = 0; j <= i; ++j) {
            row_of(i)[j] *= 2;
        }
        for (uint32_t j = i; j < n; ++j) {
            row_of(j)[i] *= 2;
        }
    }
}

/* Its rows of q. */
INLINE void times_context(uint32_t hart)
{
    const uint32_t first = chosen_row, end = first_of_equal(hart + 1);
    uint32_t i = first_of_equal(hart);
    for (; i < end && i < first; ++i) { /* down a column */
        const fx_t *at = row_of(first) + i;
        uint32_t sum = 0;
        for (uint32_t s = 0; s < d; ++s) {
            sum += (uint32_t)high(*at, scaled[s]);
            at += first + s + 1;
        }
        q[i] = (int32_t)sum;
    }
    for (; i < end && i < first + d; ++i) {
        uint32_t sum = 0;
        for (uint32_t s = 0; s < d; ++s) {
            const uint32_t j = first + s;
            sum += (uint32_t)high(i > j ? row_of(i)[j] : row_of(j)[i], scaled[s]);
        }
        q[i] = (int32_t)sum;
    }
    const fx_t *at = row_of(i) + first;
    for (; i < end; ++i) {
        uint32_t sum = 0;
        for (uint32_t s = 0; s < d; ++s) {
            sum += (uint32_t)high(at[s], scaled[s]);
        }
        q[i] = (int32_t)sum;
        at += i + 1;
    }
}

/* From q to v and the mean, its rows. */
INLINE void move_mean(uint32_t hart)
{
    const struct gain g = gain;
    const uint32_t end = first_of_equal(hart + 1);
    const int32_t surprise = (int32_t)((uint32_t)g.mean << 2); /* Q22 */
    for (uint32_t i = first_of_equal(hart); i < end; ++i) {
        const int32_t normal = (int32_t)((uint32_t)q[i] << g.pairs); /* Q29 */
        const int32_t whole =
            word_of(OVERFLOW_MULTIPLY, ((int64_t)normal * (int64_t)g.factor) >> 29);
        v[i] = rounded(whole, g.up);
        const int32_t change = rounded(high(whole, surprise), g.mean_right + 1);
        learner_model.mean[i] = word_of(OVERFLOW_ADD, (int64_t)learner_model.mean[i] + change);
    }
}

/* Product of two Q31 numbers, Q30, rounded to nearest: other rounding accumulates over the steps. */
INLINE int32_t product_of(int32_t a, int32_t b)
{
    const uint32_t low = (uint32_t)a * (uint32_t)b;
    return high(a, b) + (int32_t)(low >> 31);
}

/*
 * Its rows of the covariance, less v v^T. Two rows at a time, so that an element of v is loaded once
 * for both.
 */
INLINE void subtract_products(uint32_t hart)
{
    const uint32_t end = first_of_growing(hart + 1);
    uint32_t i = first_of_growing(hart);
    fx_t *row = row_of(i);
    for (; i + 1 < end; i += 2) {
        fx_t *const next = row + i + 1;
        const int32_t factor = v[i], factor_next = v[i + 1];
        uint32_t j = 0;
        for (; j + 2 <= i; j += 2) {
            const int32_t left = v[j], right = v[j + 1];
            row[j] -= product_of(factor, left);
            row[j + 1] -= product_of(factor, right);
            next[j] -= product_of(factor_next, left);
            next[j + 1] -= product_of(factor_next, right);
        }
        for (; j <= i; ++j) {
            row[j] -= product_of(factor, v[j]);
            next[j] -= product_of(factor_next, v[j]);
        }
        next[j] -= product_of(factor_next, factor_next);
        row = next + i + 2;
    }
    if (i < end) {
        for (uint32_t j = 0; j <= i; ++j) {
            row[j] -= product_of(v[i], v[j]);
        }
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
    move_mean((uint32_t)hart);
    wait_for_sharers(hart);
    subtract_products((uint32_t)hart);
    wait_for_sharers(hart);
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    chosen_row = chosen * d;
    rescale(chosen);
    scale_context();
    wait_for_sharers(0);
    times_context(0);
    wait_for_sharers(0);
    const int32_t scale = learner_model.scale[chosen];
    uint32_t t = 0;
    for (uint32_t r = 0; r < d; ++r) {
        t += (uint32_t)high(q[chosen_row + r], scaled[r]);
    }
    const int32_t expected = shifted(predicted(chosen), scale);
    gain = gain_of((int32_t)(t << 2), surprise(reward, expected), scale, exponent);
    wait_for_sharers(0);
    move_mean(0);
    wait_for_sharers(0);
    subtract_products(0);
    wait_for_sharers(0);
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
