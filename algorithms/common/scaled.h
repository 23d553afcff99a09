/*
 * The scalar arithmetic of a step, in 32 bits, by scaling the context by a power of two.
 *
 * y = 2^k x with |y|^2 < 1. Since A^-1 never exceeds the identity, no element of A^-1 y and no
 * y^T A^-1 y reaches 1 either: as sums of products of Q15 numbers, in Q30, they fit a word, and a
 * sum modulo 2^32 is exact, even if its parts wrap. In these terms
 *     x^T A^-1 x = 2^-2k t,   t = y^T A^-1 y,   v = A^-1 y,
 *     A^-1 x x^T A^-1 / (1 + x^T A^-1 x) = v v^T / (4^k + t).
 *
 * Range: |x|^2 + d 2^-15 below 2^16, the largest number of Q16.15.
 */
#ifndef SCALED_H
#define SCALED_H

#include "learner.h"

/* The context of a step: of this round, or a stored window of earlier ones. */
#ifdef LEARNER_WINDOW
#include "window.h"
#define SCALED_D WINDOW_WORDS
#define SCALED_CONTEXT learner_model.window
#else
#define SCALED_D LEARNER_D
#define SCALED_CONTEXT learner_context
#endif

#if FX_FRACTION_BITS != 15
#error "scaled.h: the tuned code computes in Q16.15: FX_FRACTION_BITS must be 15"
#endif

#define INLINE static inline __attribute__((always_inline))

/* The upper half of a product. */
INLINE int32_t high(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b) >> 32);
}

/* Of a number above 0: fx_leading_zeros, in line at every level of optimization. */
INLINE uint32_t leading_zeros(uint32_t value)
{
    uint32_t zeros = 0;
    if ((value >> 16) == 0) {
        zeros = 16;
        value <<= 16;
    }
    if ((value >> 24) == 0) {
        zeros += 8;
        value <<= 8;
    }
    if ((value >> 28) == 0) {
        zeros += 4;
        value <<= 4;
    }
    if ((value >> 30) == 0) {
        zeros += 2;
        value <<= 2;
    }
    return zeros + ((value >> 31) ^ 1u);
}

/*
 * k, from -8 to 7, for the sum of the squares of x in steps of 2^-15, each rounded down: the
 * largest with 4^k (squares + d) < 2^15.
 */
INLINE int32_t scale_exponent(uint32_t squares)
{
    const int32_t bits = 32 - (int32_t)leading_zeros(squares + SCALED_D);
    return (15 - bits) >> 1;
}

/* floor(sqrt(value)) for value >= 2^30: a straight line, at most 4.3 % off, and two steps of
 * Newton's method, which leave less than one unit, on the upper side. */
INLINE uint32_t root_of_large(uint32_t value)
{
    uint32_t root = (uint32_t)(((uint64_t)value * 43691u) >> 32) + 22528u;
    root = (root + value / root) / 2u;
    root = (root + value / root) / 2u;
    root = root > 0xffffu ? 0xffffu : root;
    return root * root > value ? root - 1u : root;
}

/*
 * mean + alpha sqrt(2^-2k t), t in Q30, 0 or less counting as 0. The root has 16 digits, rounded
 * down; its product with alpha is rounded down once more.
 */
INLINE fx_t upper_bound(fx_t mean, fx_t alpha, int32_t t, int32_t k)
{
    if (t <= 0) {
        return mean;
    }
    const uint32_t pairs = leading_zeros((uint32_t)t) >> 1;
    const uint32_t root = root_of_large((uint32_t)t << (2u * pairs));
    const int64_t width = (int64_t)alpha * (int64_t)root;
    const uint32_t shift = (uint32_t)(15 + k + (int32_t)pairs); /* 7 .. 52 */
    return (fx_t)((uint32_t)mean + (uint32_t)(uint64_t)(width >> shift));
}

/* 1 / (4^k + t) = factor 2^-shift. factor from 2^16 to 2^17, relative error below 2^-14. */
struct reciprocal {
    uint32_t factor;
    int32_t shift; /* 1 .. 61 */
};

/* t in Q30, 0 or less counting as 0: the denominator is never 0. k from -8 to 22. */
INLINE struct reciprocal reciprocal_of(int32_t t, int32_t k)
{
    const uint32_t positive = t < 0 ? 0u : (uint32_t)t;
    const int32_t up = k > 0 ? k : 0;
    const uint32_t least = 1u << (30 + 2 * (k - up));
    const uint32_t denominator = least + (up > 15 ? 0u : positive >> (2 * up));
    const uint32_t zeros = leading_zeros(denominator);
    const struct reciprocal result = {
        .factor = 0xffffffffu / (denominator << zeros >> 16),
        .shift = 18 + 2 * up - (int32_t)zeros,
    };
    return result;
}

/*
 * State of the disjoint learners. A^-1 shrinks as an arm learns, so 4^scale A^-1 is stored, in Q30,
 * with a scale that grows along: its elements never exceed 1, and keep their precision. In the
 * formulas above it replaces A^-1, and k + scale replaces k.
 */
enum { LARGEST_SCALE = 15, THETA_BITS = 20, TRACE_BITS = 22 };

#define INVERSE_ONE ((fx_t)1 << 30)

/*
 * Possible growth of the scale, for a trace of the stored matrix in steps of 2^-TRACE_BITS, each of
 * its terms rounded down: as long as no eigenvalue can exceed 1.
 */
INLINE int32_t growth_of_scale(int32_t trace, int32_t scale)
{
    const int32_t above = trace + SCALED_D;
    if (above <= 0) { /* no significant digits are left */
        return 0;
    }
    const int32_t growth = ((int32_t)leading_zeros((uint32_t)above) - (31 - TRACE_BITS) - 1) >> 1;
    if (growth <= 0) {
        return 0;
    }
    return growth < LARGEST_SCALE - scale ? growth : LARGEST_SCALE - scale;
}

#endif
