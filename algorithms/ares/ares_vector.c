/*
 * One regression for each arm and window, on a vector unit; with post-scaled products (kps) or
 * without, with the same bits (fx_postscale.h).
 *
 * Features have 13 fraction bits here, in selection and update alike, so the regression is
 * exact for these features; V^-1 has 27, w = V^-1 q 25, the weights 24, q^T w 20.
 *
 * With c = w / sqrt(1 + q^T w) an update subtracts c c^T from V^-1. Elements of c go into that with 16
 * significant bits of the largest possible: |c|^2 is at most q^T w. Their products fit a word, and V^-1
 * stays symmetric, so that later updates reduce rounding errors as they reduce V^-1 itself.
 *
 * Scratchpad 0: V^-1, or as many of its rows as fit. 1 and 2: upper and lower parts, products. 3:
 * vectors.
 */
#include "ares.h"
#include "fx_inverse_root.h"
#include "fx_postscale.h"

#if FX_FRACTION_BITS != 15
#error "ares_vector.c: 15 fraction bits"
#endif

enum {
    S = LEARNER_WINDOWS,
    COARSE = 13,   /* bits of features */
    INVERSE = 27,
    FINE = INVERSE + COARSE - (int)FX_POSTSCALE, /* of w */
    WEIGHT = 24,
    VARIANCE = 20, /* of q^T w; its root is taken from 21 */
    ROOT = 16,     /* of 1 / sqrt(1 + q^T w) */
    NARROW = 15,   /* of c, where it may reach 1 */
    MATRICES = d * d * (S * (S + 1) * (2 * S + 1) / 6) + d * S * (S + 1) + S + 1,
    VECTORS = d * S * (S + 1) / 2 + S + 1,
    VECTOR = 4 * D, /* bytes */
    /* V^-1 is loaded a second time if the largest one and a vector do not fit a scratchpad. */
    SEVERAL = (D + 1) * VECTOR > (int)VCU_SPM_BYTES,
    ROWS = SEVERAL ? (int)VCU_SPM_BYTES / VECTOR - 1 : D,
};

_Static_assert(8 * VECTOR <= (int)VCU_SPM_BYTES, "LEARNER_WINDOWS: eight vectors must fit a scratchpad");
/* |w| is at most (|q| + 8) / 2, since no eigenvalue of V^-1 exceeds 1. */
_Static_assert(D <= 49, "LEARNER_WINDOWS: elements of V^-1 q must stay below 32");

static struct {
    fx_t features[D]; /* COARSE bits */
    uint32_t round;
    struct window_errors errors[ARMS][WINDOWS + 1];
    fx_t inverse[ARMS][MATRICES];
    fx_t weights[ARMS][VECTORS];
} learner_model;

#define MATRIX VCU_SPM(0)
#define UPPER VCU_SPM(1)
#define LOWER VCU_SPM(2)
#define WEIGHTS (VCU_SPM(2) + (uint32_t)(ROWS * VECTOR))
#define FEATURES VCU_SPM(3)
#define W (VCU_SPM(3) + VECTOR)
#define C (VCU_SPM(3) + 2u * VECTOR)
#define RESULT (VCU_SPM(3) + 3u * VECTOR)

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

/* Number of rows of n, from `first` on, that are in the scratchpads at once. */
static inline uint32_t rows_from(uint32_t first, uint32_t n)
{
    return SEVERAL && n - first > ROWS ? ROWS : n - first;
}

/* Loads a model, or the last rows of it; leaves w in W, whole. */
static inline struct estimate estimate_of(const fx_t *matrix, const fx_t *weights, uint32_t n)
{
    static struct {
        fx_t variance, mean;
    } words;
    const uint32_t bytes = 4u * n;
    const struct fx_postscale_vector short_w = {UPPER, UPPER + VECTOR, LOWER + VECTOR};
    const struct fx_postscale_vector of_weights = {WEIGHTS, UPPER + 2u * VECTOR, LOWER + 2u * VECTOR};
    for (uint32_t first = 0, rows; first < n; first += rows) {
        struct fx_postscale_vector row = {MATRIX, UPPER, LOWER};
        rows = rows_from(first, n);
        kmemld(MATRIX, matrix + first * n, bytes * rows);
        vcu_set_mvsize(bytes * rows);
        fx_postscale_split(row);
        if (first == 0) {
            kmemld(WEIGHTS, weights, bytes);
        }
        vcu_set_mvsize(bytes);
        for (uint32_t i = 0; i < 4u * rows; i += 4u) {
            /* Lower words go where the first row was. */
            fx_postscale_dot(W + 4u * first + i, LOWER + i, UPPER, row, FEATURES);
            row.whole += bytes;
            row.high += bytes;
            row.low += bytes;
        }
        if (SEVERAL) {
            vcu_set_mvsize(4u * rows);
        }
        fx_postscale_join(W + 4u * first, LOWER, LOWER);
    }
    if (SEVERAL) {
        vcu_set_mvsize(bytes);
    }
    ksrav(short_w.whole, W, (uint32_t)FINE + COARSE - FX_POSTSCALE - VARIANCE);
    fx_postscale_split(short_w);
    fx_postscale_dot(RESULT, LOWER, UPPER + 3u * VECTOR, short_w, FEATURES);
    fx_postscale_split(of_weights);
    fx_postscale_dot(RESULT + 4u, LOWER + 4u, UPPER + 3u * VECTOR, of_weights, FEATURES);
    vcu_set_mvsize(8u);
    fx_postscale_join(RESULT, LOWER, LOWER);
    kmemstr(&words, RESULT, 8u);
    const volatile fx_t *const stored = &words.variance;
    const fx_t variance = stored[0], mean = stored[1];
    return (struct estimate){variance < 0 ? 0 : variance,
                             mean >> ((uint32_t)WEIGHT + COARSE - FX_POSTSCALE - F)};
}

static void start_vectors(void)
{
    vcu_set_mvtype(VCU_32_BIT);
    fx_postscale_set_shift();
    kmemld(FEATURES, learner_model.features, VECTOR);
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    if (learner_model.round < PULLS * ARMS) {
        return learner_model.round % ARMS;
    }
    start_vectors();
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        const struct window_errors *const errors = learner_model.errors[arm];
        const uint32_t best = best_window(errors);
        const fx_t *matrix = learner_model.inverse[arm], *weights = learner_model.weights[arm];
        for (uint32_t s = 0; s < best; ++s) {
            matrix += DIMENSION(s) * DIMENSION(s);
            weights += DIMENSION(s);
        }
        const struct estimate found = estimate_of(matrix, weights, DIMENSION(best));
        const fx_t root = fx_sqrt((fx_t)((uint32_t)found.variance << 1)) >> 3; /* from 21 bits */
        learner_scores[arm] = found.mean + product(errors[best].mean, root, F);
    }
    return learner_best_arm();
}

/* weights += error w / (1 + q^T w), V^-1 -= w w^T / (1 + q^T w), in scratchpads and in memory. */
static inline void move_model(fx_t *matrix, fx_t *weights, struct window_errors *errors,
                              uint32_t window, struct estimate found, fx_t error)
{
    static fx_t c[D];
    const volatile fx_t *const stored = c;
    const uint32_t n = DIMENSION(window), bytes = 4u * n, variance = (uint32_t)found.variance;
    const struct fx_postscale_vector w = {W, UPPER, LOWER};
    const uint32_t one = 1u << VARIANCE, most = variance + 4u * n;
    vcu_set_mvsize(bytes);
    fx_postscale_split(w);
    /* c^2 is at most q^T w, which rounding may have reduced by 4 n steps. */
    const uint32_t zeros = fx_leading_zeros(most < one ? most : variance + one);
    const uint32_t more = most < one ? (zeros - (32u - VARIANCE)) / 2u : 0u;
    const struct fx_inverse_root by =
        fx_inverse_root(variance + one, most < one ? 31u - VARIANCE : zeros, VARIANCE);
    const uint32_t right = FINE + ROOT - FX_POSTSCALE - NARROW + by.shift - more;
    fx_postscale_number(C, UPPER + VECTOR, w, (fx_t)by.factor);
    ksvaddrf(C, C, 1u << right >> 1);
    ksrav(C, C, right);
    kmemstr(c, C, bytes);

    /* The error over 1 + q^T w, shifted right to 17 bits with sign, at least by 1. */
    const uint32_t square = (uint32_t)(((uint64_t)by.factor * by.factor) >> ROOT);
    const fx_t scaled = product(error, (fx_t)square, ROOT + 2u * by.shift);
    const uint32_t size = scaled < 0 ? 0u - (uint32_t)scaled : (uint32_t)scaled;
    const uint32_t shift = size < 1u << 17 ? 1u : 16u - fx_leading_zeros(size);
    const fx_t number = ((scaled >> (shift - 1u)) + 1) >> 1;
    fx_postscale_number(UPPER + VECTOR, LOWER, w, number);
    ksvmulrf(UPPER + VECTOR, UPPER + VECTOR, 1u << (shift - 1u));
    kaddv(WEIGHTS, WEIGHTS, UPPER + VECTOR);
    kmemstr(weights, WEIGHTS, bytes);

    const uint32_t lower = 2u * (NARROW + more) - INVERSE;
    uint32_t first = 0, rows;
    for (;; first += rows) {
        uint32_t row = UPPER;
        rows = rows_from(first, n);
        if (SEVERAL) {
            kmemld(MATRIX, matrix + first * n, bytes * rows);
            vcu_set_mvsize(bytes);
        }
        for (uint32_t i = first; i < first + rows; ++i) {
            ksvmulrf(row, C, (uint32_t)stored[i]);
            row += bytes;
        }
        vcu_set_mvsize(bytes * rows);
        ksvaddrf(UPPER, UPPER, 1u << lower >> 1);
        ksrav(UPPER, UPPER, lower);
        ksubv(MATRIX, MATRIX, UPPER);
        if (first + rows == n) {
            break;
        }
        kmemstr(matrix + first * n, MATRIX, bytes * rows);
    }
    /* A load or store waits for a transfer; so the error is noted in registers while this one runs. */
    struct window_errors noted = *errors;
    kmemstr(matrix + first * n, MATRIX, bytes * rows);
    note_error(&noted, window, error);
    *errors = noted;
}
_Static_assert(FINE + F - (int)FX_POSTSCALE == WEIGHT + 1, "a shift of 1 leads to WEIGHT bits");

GNOMON_REGION void learner_update(uint32_t arm, fx_t reward)
{
    fx_t *matrix = learner_model.inverse[arm], *weights = learner_model.weights[arm];
    start_vectors();
    for (uint32_t s = 0; s <= WINDOWS && s <= learner_model.round; ++s) {
        const uint32_t n = DIMENSION(s);
        const struct estimate found = estimate_of(matrix, weights, n);
        const fx_t error = fx_subtract_wrap(reward, found.mean);
        move_model(matrix, weights, &learner_model.errors[arm][s], s, found, error);
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
