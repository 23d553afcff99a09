/*
 * One regression for each arm and window, updated by Sherman and Morrison's formula.
 *
 * V^-1 has 28 fraction bits by default, as no element exceeds 1; w = V^-1 q and
 * the weights have 24; q^T w, which may reach 800, has 20.
 */
#include "ares.h"

#ifndef LEARNER_INVERSE_BITS
#define LEARNER_INVERSE_BITS 28
#endif
#if LEARNER_INVERSE_BITS < 24 - FX_FRACTION_BITS || LEARNER_INVERSE_BITS > 30
#error "ares_windows.c: LEARNER_INVERSE_BITS must be from 24 - FX_FRACTION_BITS to 30"
#endif

enum { INVERSE = LEARNER_INVERSE_BITS, FINE = 24, VARIANCE = 20 + FX_FRACTION_BITS % 2 };

/* Inverses of all windows one after the other: D(0)^2 + D(1)^2 + ... words. */
enum {
    S = LEARNER_WINDOWS,
    MATRICES = d * d * (S * (S + 1) * (2 * S + 1) / 6) + d * S * (S + 1) + S + 1,
    VECTORS = d * S * (S + 1) / 2 + S + 1,
};

static struct {
    fx_t features[D];
    uint32_t round;
    struct window_errors errors[ARMS][WINDOWS + 1];
    fx_t inverse[ARMS][MATRICES];
    fx_t weights[ARMS][VECTORS];
} learner_model;

void learner_reset(void)
{
    clear_words(&learner_model, sizeof learner_model);
    learner_model.features[0] = FX_ONE;
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

static inline fx_t predicted(const fx_t *weights, uint32_t n)
{
    const uint64_t sum = fx_wide_dot(0, weights, learner_model.features, n);
    return (fx_t)(uint32_t)(uint64_t)((int64_t)sum >> FINE);
}

/* w = V^-1 q; returns q^T w, 0 or more. */
static inline fx_t spread(const fx_t *matrix, fx_t *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        const uint64_t sum = fx_wide_dot(0, matrix + i * n, learner_model.features, n);
        w[i] = (fx_t)(uint32_t)(uint64_t)((int64_t)sum >> (F + INVERSE - FINE));
    }
    const int64_t sum = (int64_t)fx_wide_dot(0, w, learner_model.features, n);
    const fx_t variance = (fx_t)(sum >> (F + FINE - VARIANCE));
    return variance < 0 ? 0 : variance;
}

GNOMON_REGION uint32_t learner_select(int hart)
{
    (void)hart;
    static fx_t w[D];
    if (learner_model.round < PULLS * ARMS) {
        return learner_model.round % ARMS;
    }
    for (uint32_t arm = 0; arm < ARMS; ++arm) {
        const struct window_errors *const errors = learner_model.errors[arm];
        const uint32_t best = best_window(errors);
        const fx_t *matrix = learner_model.inverse[arm], *weights = learner_model.weights[arm];
        for (uint32_t s = 0; s < best; ++s) {
            matrix += DIMENSION(s) * DIMENSION(s);
            weights += DIMENSION(s);
        }
        const fx_t variance = spread(matrix, w, DIMENSION(best));
        const fx_t root = fx_sqrt(variance) >> ((VARIANCE - F) / 2);
        learner_scores[arm] =
            fx_add_wrap(predicted(weights, DIMENSION(best)), product(errors[best].mean, root, F));
    }
    return learner_best_arm();
}

/* V^-1 -= w w^T / (1 + q^T w), weights += error w / (1 + q^T w). */
static inline void move_model(fx_t *matrix, fx_t *weights, const fx_t *w, fx_t variance,
                              fx_t error, uint32_t n)
{
    struct fx_range range = {0, 0};
    struct fx_reciprocal by = fx_reciprocal(fx_add_wrap(variance, (fx_t)1 << VARIANCE));
    by.shift += F - VARIANCE;
    for (uint32_t i = 0; i < n; ++i) {
        const fx_t scaled = fx_divide_by_reciprocal(w[i], by, &range);
        for (uint32_t j = 0; j <= i; ++j) {
            const fx_t value =
                fx_subtract_wrap(matrix[i * n + j], product(scaled, w[j], 2 * FINE - INVERSE));
            matrix[i * n + j] = value;
            matrix[j * n + i] = value;
        }
        fx_accumulate_wrap(&weights[i], product(error, scaled, F));
    }
}

GNOMON_REGION void learner_update(uint32_t arm, fx_t reward)
{
    static fx_t w[D];
    fx_t *matrix = learner_model.inverse[arm], *weights = learner_model.weights[arm];
    for (uint32_t s = 0; s <= WINDOWS && s <= learner_model.round; ++s) {
        const uint32_t n = DIMENSION(s);
        const fx_t variance = spread(matrix, w, n);
        const fx_t error = fx_subtract_wrap(reward, predicted(weights, n));
        note_error(&learner_model.errors[arm][s], s, error);
        move_model(matrix, weights, w, variance, error, n);
        matrix += n * n;
        weights += n;
    }
    push_context(learner_model.features);
    ++learner_model.round;
}

const uint32_t learner_model_words = sizeof learner_model / sizeof(fx_t);

fx_t *learner_model_place(void)
{
    return (fx_t *)&learner_model;
}
