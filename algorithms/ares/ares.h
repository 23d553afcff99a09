/*
 * ARES-P: regressions of the reward on windows of past contexts, the window chosen for each arm.
 *
 * learner_context arrives with the reward, so selection uses earlier contexts: features are 1, then
 * the newest context, the one before it and so on, LEARNER_WINDOWS of them; a window s uses the
 * first D(s) = d s + 1. An arm takes the window of the smallest mean error and is played by
 *     mean + error sqrt(q^T V^-1 q).
 * Arms take turns until each has PULLS rewards. A window is taken from 2 D(s) updates on.
 * Contexts and rewards must be scaled to about 1; contexts are cut at +-8.
 */
#ifndef ARES_H
#define ARES_H

#include "fx_divide.h"
#include "fx_sqrt.h"
#include "fx_wide.h"
#include "learner.h"

#ifndef LEARNER_WINDOWS
#define LEARNER_WINDOWS 4 /* largest window, s_N */
#endif
#if FX_FRACTION_BITS < 8 || FX_FRACTION_BITS > 20
#error "ares.h: FX_FRACTION_BITS must be from 8 to 20: errors of 2,000 rounds are summed"
#endif

enum {
    d = LEARNER_D,
    ARMS = LEARNER_ARMS,
    WINDOWS = LEARNER_WINDOWS,
    D = LEARNER_D * LEARNER_WINDOWS + 1,
    F = FX_FRACTION_BITS,
    PULLS = 20,
    LARGEST_CONTEXT = 8,
};

#define DIMENSION(window) (d * (window) + 1u)

/* State of both implementations in addition to their regressions. */
struct window_errors {
    uint32_t updates;  /* of the regression */
    uint32_t count;    /* of errors since the window may be taken */
    uint32_t sum[2];   /* of their sizes, 64 bits, low word first */
    fx_t mean;         /* the sum over the count */
};

/* Rounded to nearest: any other rounding accumulates over the rounds. */
static inline fx_t product(fx_t a, fx_t b, uint32_t right)
{
    const int64_t half = (int64_t)1 << (right - 1);
    return (fx_t)(uint32_t)(uint64_t)(((int64_t)a * b + half) >> right);
}

static uint32_t mean_failed; /* stays 0: no mean exceeds the largest of its errors */

/* Call before the counted update: notes the error of a window that may be taken. */
static inline void note_error(struct window_errors *errors, uint32_t window, fx_t error)
{
    if (errors->updates >= 2u * DIMENSION(window) || window == 0) {
        const uint32_t size = error < 0 ? 0u - (uint32_t)error : (uint32_t)error;
        uint64_t sum = (uint64_t)errors->sum[1] << 32 | errors->sum[0];
        sum += size;
        errors->sum[0] = (uint32_t)sum;
        errors->sum[1] = (uint32_t)(sum >> 32);
        ++errors->count;
        errors->mean = fx_divide_wide((int64_t)sum, (fx_t)errors->count, &mean_failed);
    }
    ++errors->updates;
}

/* The window of the smallest mean error, the smallest of equals. */
static inline uint32_t best_window(const struct window_errors *errors)
{
    uint32_t best = 0;
    for (uint32_t s = 1; s <= WINDOWS; ++s) {
        if (errors[s].count != 0 && errors[s].mean < errors[best].mean) {
            best = s;
        }
    }
    return best;
}

/* The newest context goes in front. */
static inline void push_context(fx_t *features)
{
    const fx_t most = LARGEST_CONTEXT << F;
    for (uint32_t i = D; i-- > 1u + d;) {
        features[i] = features[i - d];
    }
    for (uint32_t i = 0; WINDOWS != 0 && i < d; ++i) {
        const fx_t value = learner_context[i];
        features[1 + i] = value > most ? most : value < -most ? -most : value;
    }
}

static inline void clear_words(void *place, uint32_t bytes)
{
    uint32_t *const words = place;
    for (uint32_t i = 0; i < bytes / 4; ++i) {
        words[i] = 0;
    }
}

#endif
