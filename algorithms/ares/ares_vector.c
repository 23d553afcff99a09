/*
 * One regression for each arm and window, on a vector unit with post-scaled products (kps), which
 * keep 64 bits before their shift of 15. Features have 12 bits behind the point here, in selection
 * and update alike, so the regression is exact for what it is given; V^-1 has 28, w = V^-1 q 25,
 * the weights 24, q^T w 20. V^-1 is symmetric: w is a sum of its rows, times the features.
 *
 * Scratchpad 0: V^-1. 1: features. 2: products, weights. 3: w, w / (1 + q^T w), results.
 */
#include "ares.h"
#include "fx_vector.h"

#if !VCU_HAS_POSTSCALE || VCU_POSTSCALE_SHIFT != 15
#error "ares_vector.c: the machine needs post-scaled products (kps) of 15 bits"
#endif
#if FX_FRACTION_BITS != 15
#error "ares_vector.c: 15 fraction bits"
#endif

enum {
    S = LEARNER_WINDOWS,
    COARSE = 12,   /* bits of features */
    INVERSE = 28,
    FINE = 25,     /* of w */
    WEIGHT = 24,
    VARIANCE = 20, /* of q^T w; its root is taken from 21 */
    MATRICES = d * d * (S * (S + 1) * (2 * S + 1) / 6) + d * S * (S + 1) + S + 1,
    VECTORS = d * S * (S + 1) / 2 + S + 1,
    VECTOR = 4 * D, /* bytes */
};

_Static_assert(4 * D * D <= (int)VCU_SPM_BYTES && 3 * VECTOR + 8 <= (int)VCU_SPM_BYTES,
               "LEARNER_WINDOWS: V^-1 of the largest window must fit a scratchpad");

static struct {
    fx_t features[D]; /* COARSE bits */
    uint32_t round;
    struct window_errors errors[ARMS][WINDOWS + 1];
    fx_t inverse[ARMS][MATRICES];
    fx_t weights[ARMS][VECTORS];
} learner_model;

#define MATRIX VCU_SPM(0)
#define FEATURES VCU_SPM(1)
#define PRODUCTS VCU_SPM(2)
#define WEIGHTS (VCU_SPM(2) + VECTOR)
#define W VCU_SPM(3)
#define Y (VCU_SPM(3) + VECTOR)
#define RESULT (VCU_SPM(3) + 2 * VECTOR)

void learner_reset(void)
{
    clear_words(&learner_model, sizeof learner_model);
    learner_model.features[0] = (fx_t)1 << COARSE;
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        fx_t *matrix = learner_model.inverse[arm];
        for (uint32_t s = 0; s <= WINDOWS; ++s) {
            const uint32_t n = DIMENSION(s);
            for (uint32_t i = 0; i < n; ++i) {
                matrix[i * n + i] = (fx_t)1 << INVERSE;
            }
            matrix += n * n;
        }
    }
}

struct estimate {
    fx_t variance, mean; /* q^T w, 0 or more, VARIANCE bits; F bits */
};

/* Loads a model; leaves w in W. */
static inline struct estimate estimate_of(const fx_t *matrix, const fx_t *weights, uint32_t n)
{
    static struct {
        fx_t variance, mean;
    } words;
    const volatile fx_t *const features = learner_model.features;
    const uint32_t bytes = 4u * n;
    kmemld(MATRIX, matrix, bytes * n);
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(bytes);
    kmemld(WEIGHTS, weights, bytes);
    ksvmulpsrf(W, MATRIX, (uint32_t)features[0]);
    for (uint32_t i = 1; i < n; ++i) {
        ksvmulpsrf(PRODUCTS, MATRIX + bytes * i, (uint32_t)features[i]);
        kaddv(W, W, PRODUCTS);
    }
    ksrav(PRODUCTS, W, (uint32_t)(FINE + COARSE - 15 - VARIANCE));
    kvmulps(PRODUCTS, PRODUCTS, FEATURES);
    kvred(RESULT, PRODUCTS);
    kvmulps(PRODUCTS, WEIGHTS, FEATURES);
    kvred(RESULT + 4u, PRODUCTS);
    kmemstr(&words, RESULT, 8u);
    const volatile fx_t *const stored = &words.variance;
    const fx_t variance = stored[0], mean = stored[1];
    return (struct estimate){variance < 0 ? 0 : variance, mean >> (WEIGHT + COARSE - 15 - F)};
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    if (learner_model.round < PULLS * ARMS) {
        return learner_model.round % ARMS;
    }
    kmemld(FEATURES, learner_model.features, VECTOR);
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        const struct window_errors *const errors = learner_model.errors[arm];
        const uint32_t best = best_window(errors);
        const fx_t *matrix = learner_model.inverse[arm], *weights = learner_model.weights[arm];
        for (uint32_t s = 0; s < best; ++s) {
            matrix += DIMENSION(s) * DIMENSION(s);
            weights += DIMENSION(s);
        }
        const struct estimate found = estimate_of(matrix, weights, DIMENSION(best));
        const fx_t root = fx_sqrt(found.variance << 1) >> 3; /* from 21 bits to 15 */
        learner_scores[arm] = found.mean + product(errors[best].mean, root, F);
    }
    return learner_best_arm();
}

/* V^-1 -= w w^T / (1 + q^T w), weights += error w / (1 + q^T w), in scratchpads and in memory. */
static inline void move_model(fx_t *matrix, fx_t *weights, fx_t variance, fx_t error, uint32_t n)
{
    static fx_t w[D];
    const volatile fx_t *const stored = w;
    const uint32_t bytes = 4u * n;
    const uint32_t denominator = (uint32_t)variance + (1u << VARIANCE);
    const uint32_t zeros = fx_leading_zeros(denominator);
    /* 2^15 2^up / (denominator 2^-20), from 2^15 to 2^16 */
    const uint32_t factor = 0x7fffffffu / (denominator << zeros >> 16);
    const uint32_t up = 31u - VARIANCE - zeros + 1u;
    kmemstr(w, W, bytes);
    ksvmulpsrf(Y, W, factor);
    ksrav(Y, Y, up);
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t row = MATRIX + bytes * i;
        ksvmulpsrf(PRODUCTS, Y, (uint32_t)(stored[i] >> (2 * FINE - 15 - INVERSE)));
        ksubv(row, row, PRODUCTS);
    }
    kmemstr(matrix, MATRIX, bytes * n);
    ksvmulpsrf(Y, Y, (uint32_t)error);
    ksrav(Y, Y, (uint32_t)(FINE + F - 15 - WEIGHT));
    kaddv(WEIGHTS, WEIGHTS, Y);
    kmemstr(weights, WEIGHTS, bytes);
}

GNOMON_REGION void learner_update(uint32_t arm, fx_t reward)
{
    fx_t *matrix = learner_model.inverse[arm], *weights = learner_model.weights[arm];
    kmemld(FEATURES, learner_model.features, VECTOR);
    for (uint32_t s = 0; s <= WINDOWS && s <= learner_model.round; ++s) {
        const uint32_t n = DIMENSION(s);
        const struct estimate found = estimate_of(matrix, weights, n);
        const fx_t error = fx_subtract_wrap(reward, found.mean);
        note_error(&learner_model.errors[arm][s], s, error);
        move_model(matrix, weights, found.variance, error, n);
        matrix += n * n;
        weights += n;
    }
    push_context(learner_model.features);
    for (uint32_t i = 1; WINDOWS != 0 && i <= d; ++i) {
        learner_model.features[i] >>= F - COARSE;
    }
    ++learner_model.round;
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
