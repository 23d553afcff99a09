/* Hybrid LinUCB on the vector unit. docs/notes/tuned-hybrid.md derives it and its cost. */
#include "joint_features.h"
#include "joint_vector.h"

void learner_reset(void)
{
    for (uint32_t a = 0; a < ARMS; ++a) {
        learner_model.scale[a] = first_scale(a);
        for (uint32_t i = 0; i < f; ++i) {
            learner_model.features[a][i] = learner_features[a][i];
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        learner_model.mean[i] = 0;
        for (uint32_t k = 0; k < DIAGONALS; ++k) {
            learner_model.covariance[k][i] = 0;
        }
    }
    for (uint32_t a = 0; a < ARMS; ++a) {
        for (uint32_t k = 0; k < DIAGONALS; k += d) {
            const uint32_t b = (a + k / d) % ARMS;
            const fx_t value = first_covariance(a, b, learner_model.scale);
            for (uint32_t r = 0; r < d; ++r) {
                learner_model.covariance[k][a * d + r] = value;
            }
        }
    }
}

/* ---- select --------------------------------------------------------------------------------- */

/*
 * The products y_r y_(r + m) in the order of the first diagonals, Q22, twice each but for m = 0:
 * their pairs stand twice in a sum over all rows and columns. Where r + m is of the next arm, 0. With
 * a single arm diagonals wrap around, and a middle one holds its pairs twice itself.
 */
INLINE void context_products(void)
{
    kvcp(TWICE, Y);
    kvcp(TWICE + BLOCK, ARMS == 1 ? Y : PADDED);
    for (uint32_t m = 0; m < OWN; ++m) {
        kvmul(WEIGHTS + m * VECTOR, Y, TWICE + 4 * m);
        ksrav(WEIGHTS + m * VECTOR, WEIGHTS + m * VECTOR, m == 0 || (ARMS == 1 && 2 * m == d) ? 8 : 7);
    }
}

/* Copies the values of the first arm to all arms. */
INLINE void repeat_for_all_arms(void)
{
    for (uint32_t done = BLOCK; done < VECTOR;) {
        const uint32_t bytes = done < VECTOR - done ? done : VECTOR - done;
        vcu_set_mvsize(bytes);
        kvcp(X + done, X);
        for (uint32_t m = 0; m < OWN; ++m) {
            kvcp(WEIGHTS + m * VECTOR + done, WEIGHTS + m * VECTOR);
        }
        done += bytes;
    }
}

/* Scores all arms; returns whether the features are not those of the model. */
INLINE uint32_t score_arms(void)
{
    static struct {
        fx_t t[ARMS], mean[ARMS];
    } sums;
    const int32_t k = scale_exponent(squares_of_context());
    kmemld(X, learner_context, BLOCK);
    kmemld(VCU_SPM(0), learner_model.covariance, OWN * VECTOR);
    scale_context(k);
    context_products();
    repeat_for_all_arms();
    kmemld(VCU_SPM(1), learner_model.mean, VECTOR);
    vcu_set_mvsize(OWN * VECTOR);
    ksrav(VCU_SPM(0), VCU_SPM(0), 7);       /* Q23 */
    kvmulps(PRODUCTS, VCU_SPM(0), WEIGHTS); /* Q30 */
    vcu_set_mvsize(VECTOR);
    kvcp(SUM, PRODUCTS);
    for (uint32_t m = 1; m < OWN; ++m) {
        kaddv(SUM, SUM, PRODUCTS + m * VECTOR);
    }
    kvmulps(SUM + VECTOR, VCU_SPM(1), X);
    vcu_set_mvsize(BLOCK);
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        kvred(RESULT + 4 * arm, SUM + arm * BLOCK);
        kvred(RESULT + 4 * (ARMS + arm), SUM + VECTOR + arm * BLOCK);
    }
    kmemstr(&sums, RESULT, sizeof sums);
    const struct weight weight = weight_of(learner_alpha);
    uint32_t part = 0;
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        const int32_t t = *(volatile fx_t *)&sums.t[arm], scale = learner_model.scale[arm];
        const int32_t mean = *(volatile fx_t *)&sums.mean[arm];
        if (SMALL_FEATURES && part < 8) {
            compare_small_features(part++);
        }
        int32_t score = joint_score(mean, t, weight, scale, k);
        HERE(score);
        set_score(arm, score);
    }
    while (SMALL_FEATURES && part < 8) {
        compare_small_features(part++);
    }
    return SMALL_FEATURES ? differences() : 0;
}

/* A model belongs to the features at its start: other features start a fresh one. */
GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    vcu_set_mvtype(VCU_32_BIT);
    if (!SMALL_FEATURES && large_features_changed()) {
        learner_reset();
    }
    if (score_arms()) {
        learner_reset();
        score_arms();
    }
    return best_arm();
}

/* ---- update --------------------------------------------------------------------------------- */

/*
 * As the arm learns, its covariance falls. When the sum of its diagonal is below 1/4 it is doubled
 * along both sides, unless its means are so large that they could overflow.
 */
static void rescale(uint32_t arm)
{
    const uint32_t first = arm * d, end = first + d;
    uint32_t trace = 0, size = 0;
    for (uint32_t i = first; i < end; ++i) {
        const fx_t mean = learner_model.mean[i];
        trace += (uint32_t)learner_model.covariance[0][i] >> 8;
        size += (mean < 0 ? 0u - (uint32_t)mean : (uint32_t)mean) >> 8;
    }
    if (trace >= 1u << 20 || size >= 1u << 20 || learner_model.scale[arm] >= LARGEST_ARM_SCALE) {
        return;
    }
    learner_model.scale[arm] += 1;
    for (uint32_t i = first; i < end; ++i) {
        learner_model.mean[i] *= 2;
        for (uint32_t k = 0; k < DIAGONALS; ++k) {
            learner_model.covariance[k][i] *= 2;
            learner_model.covariance[k][i >= k ? i - k : i + n - k] *= 2;
        }
    }
}

/*
 * Adds to SUM (two vectors) the part of diagonal k, at `at`, in the columns from `first` on times y:
 * d elements on their slope, which may go around the end, and, if both, d as rows.
 */
INLINE void add_diagonal(uint32_t at, uint32_t k, uint32_t first, int both)
{
    if (k > first && k < first + d) {
        const uint32_t end = at + VECTOR - BLOCK, around = 4 * (k - first);
        kvmulps(PRODUCTS, end, PADDED + around);
        kaddv(SUM + VECTOR - BLOCK, SUM + VECTOR - BLOCK, PRODUCTS);
        kvmulps(PRODUCTS, at, Y + around);
        kaddv(SUM, SUM, PRODUCTS);
    } else {
        const uint32_t row = 4 * (k > first ? first + n - k : first - k);
        kvmulps(PRODUCTS, at + row, Y);
        kaddv(SUM + row, SUM + row, PRODUCTS);
    }
    if (both) {
        kvmulps(PRODUCTS, at + 4 * first, Y);
        kaddv(SUM + 4 * (first + k), SUM + 4 * (first + k), PRODUCTS);
    }
}

/* The same of diagonals k .. end, the first of them at `at`; none is 0 or n / 2. */
INLINE void add_diagonals(uint32_t at, uint32_t k, uint32_t end, uint32_t first)
{
    while (k < end) {
        if (k > first && k < first + d) {
            add_diagonal(at, k, first, 1);
            at += VECTOR;
            ++k;
            continue;
        }
        const uint32_t last = k <= first && end > first + 1 ? first + 1 : end;
        const uint32_t row = 4 * (k > first ? first + n - k : first - k);
        uint32_t slope = at + row, to_slope = SUM + row;
        uint32_t own = at + 4 * first, to_own = SUM + 4 * (first + k);
        const uint32_t to_last = to_own + 4 * (last - k);
        at += (last - k) * VECTOR;
        k = last;
        do {
            kvmulps(PRODUCTS, slope, Y);
            slope += VECTOR - 4;
            HERE(slope);
            kaddv(to_slope, to_slope, PRODUCTS);
            to_slope -= 4;
            HERE(to_slope);
            kvmulps(PRODUCTS, own, Y);
            own += VECTOR;
            HERE(own);
            kaddv(to_own, to_own, PRODUCTS);
            to_own += 4;
            HERE(to_own);
        } while (to_own != to_last);
    }
}

/*
 * Diagonals from .. end at `at`, less the products of V (Q24) and TWICE (Q22), each rounded to
 * nearest: any other rounding adds up over the steps.
 */
INLINE void subtract_products(uint32_t at, uint32_t from, uint32_t end)
{
    vcu_set_mvsize(VECTOR);
    uint32_t to = PRODUCTS, window = TWICE + 4 * from;
    const uint32_t last = TWICE + 4 * end;
    do {
        kvmulps(to, V, window);
        to += VECTOR;
        HERE(to);
        window += 4;
        HERE(window);
    } while (window != last);
    vcu_set_mvsize((end - from) * VECTOR);
    ksvaddrf(PRODUCTS, PRODUCTS, 1); /* Q31 */
    ksrav(PRODUCTS, PRODUCTS, 1);
    ksubv(at, at, PRODUCTS);
}

GNOMON_REGION void learner_update(uint32_t chosen, fx_t reward)
{
    static struct {
        fx_t t, mean;
    } sums;
    const uint32_t first = chosen * d;
    rescale(chosen);
    const int32_t scale = learner_model.scale[chosen];
    const uint32_t squares = squares_of_context();
    vcu_set_mvtype(VCU_32_BIT);
    kmemld(X, learner_context, BLOCK);
    kmemld(VCU_SPM(0), learner_model.covariance, LOW);
    vcu_set_mvsize(2 * VECTOR);
    kbcast(SUM, 0);
    const int32_t k = scale_exponent(squares);
    scale_context(k);
    kmemld(VCU_SPM(1), learner_model.covariance[LOW_DIAGONALS], HIGH + VECTOR);
    add_diagonal(VCU_SPM(0), 0, first, 0);
    if (HIGH != 0) {
        const uint32_t end = n % 2 == 0 ? DIAGONALS - 1 : DIAGONALS;
        add_diagonals(VCU_SPM(0) + VECTOR, 1, LOW_DIAGONALS, first);
        add_diagonals(VCU_SPM(1), LOW_DIAGONALS, end, first);
        if (n % 2 == 0) {
            add_diagonal(VCU_SPM(1) + HIGH - VECTOR, n / 2, first, 0);
        }
    }
    vcu_set_mvsize(VECTOR);
    kvcp(PRODUCTS, SUM + VECTOR);
    kaddv(SUM, SUM, PRODUCTS); /* q, Q30 */
    vcu_set_mvsize(BLOCK);
    kvcp(TWICE, SUM + 4 * first);
    kvmulps(PRODUCTS, Y, TWICE);
    kvred(RESULT, PRODUCTS);
    kvmulps(PRODUCTS, VCU_SPM(1) + HIGH + 4 * first, X);
    kvred(RESULT + 4, PRODUCTS);
    kmemstr(&sums, RESULT, sizeof sums);
    vcu_set_mvsize(VECTOR);
    const int32_t t = *(volatile fx_t *)&sums.t;
    const int32_t expected = shifted(*(volatile fx_t *)&sums.mean, scale);
    const struct gain gain = gain_of(t, surprise(reward, expected), scale, k);
    vector_shift(SUM, SUM, 5 - gain.pairs);  /* Q25 */
    ksvmulpsrf(SUM, SUM, gain.factor >> 11); /* v 2^up, Q30 */
    vector_rounded(TWICE, SUM, 8 + gain.up); /* v, Q22 */
    kvcp(TWICE + VECTOR, TWICE);
    vector_rounded(V, SUM, 6 + gain.up);     /* v, Q24 */
    subtract_products(VCU_SPM(0), 0, LOW_DIAGONALS);
    kmemstr(learner_model.covariance, VCU_SPM(0), LOW);
    /* During the transfer. */
    vcu_set_mvsize(VECTOR);
    vector_rounded(W, SUM, 13);              /* v 2^up, Q17 */
    ksvmulpsrf(W, W, (uint32_t)gain.mean);   /* Q22 */
    vector_rounded(W, W, 2 + gain.mean_right);
    kaddv(VCU_SPM(1) + HIGH, VCU_SPM(1) + HIGH, W);
    if (HIGH != 0) {
        subtract_products(VCU_SPM(1), LOW_DIAGONALS, DIAGONALS);
    }
    kmemstr(learner_model.covariance[LOW_DIAGONALS], VCU_SPM(1), HIGH + VECTOR);
    (void)*(volatile fx_t *)learner_model.mean; /* the model is in memory when it returns */
}

/* One hart at a time has the vector unit. */
void learner_help_update(int hart)
{
    (void)hart;
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
