/* Arithmetic of generated learners: no result wraps, each saturates or is proven to fit. */
#ifndef ONCE_H
#define ONCE_H

#include "fx_divide.h"
#include "fx_sqrt.h"
#include "learner.h"
#include "random.h"


#define ONCE_INLINE static inline __attribute__((always_inline))
#define ONCE_UNROLL _Pragma("GCC unroll 8")
#define ONCE_ROLL _Pragma("GCC unroll 1")

/* A loop that harts share: each takes every LEARNER_HARTS-th round, with arrays of its own. */
#if LEARNER_HARTS > 1
#define ONCE_OWN
#define ONCE_FIRST(hart) (hart)
#define ONCE_MEET(hart) learner_wait_for_all(hart)
#else
#define ONCE_OWN static
#define ONCE_FIRST(hart) 0
#define ONCE_MEET(hart) ((void)(hart))
#endif

/* Upper word of a product; a whole product. */
ONCE_INLINE fx_t once_high(fx_t a, fx_t b)
{
    return (fx_t)(((int64_t)a * b) >> 32);
}

ONCE_INLINE int64_t once_wide(fx_t a, fx_t b)
{
    return (int64_t)a * b;
}

/* sum + a b 2^-ONCE_MACQ, by one instruction if the machine has it. No sum exceeds a word. */
#ifdef ONCE_MACQ
#if defined(__has_include)
#if __has_include("units.h") /* instructions of the machine's units */
#include "units.h"
#endif
#endif
ONCE_INLINE fx_t once_mac(fx_t sum, fx_t a, fx_t b)
{
#if defined(UNIT_HAS_MACQ) && UNIT_HAS_MACQ_FRACTION == ONCE_MACQ
    return (fx_t)macq((uint32_t)sum, (uint32_t)a, (uint32_t)b);
#else
    return sum + (fx_t)(((int64_t)a * b) >> ONCE_MACQ);
#endif
}
#endif

/* A word shifted to the left, where the result is known to fit. */
ONCE_INLINE fx_t once_left(fx_t a, uint32_t by)
{
    return (fx_t)((uint32_t)a << by);
}

/* 64 bits shifted to the left; saturates at 2^61, so that sums of two fit. More bits saturate. */
ONCE_INLINE int64_t once_up(int64_t a, uint32_t by)
{
    const uint32_t up = by > 61 ? 61 : by;
    const int64_t most = ((int64_t)1 << 61) >> up;
    return (a > most ? most : a < -most ? -most : a) * ((int64_t)1 << up);
}

/* The nearest number of at most `limit` in magnitude. */
ONCE_INLINE fx_t once_clamp(fx_t a, fx_t limit)
{
    if ((uint32_t)a + (uint32_t)limit <= 2u * (uint32_t)limit) {
        return a;
    }
    return a < 0 ? -limit : limit;
}

ONCE_INLINE fx_t once_fit(int64_t a, fx_t limit)
{
    const uint64_t most = (uint64_t)limit;
    if ((uint64_t)a + most <= 2 * most) {
        return (fx_t)a;
    }
    return a < 0 ? -limit : limit;
}

ONCE_INLINE fx_t once_larger(fx_t a, fx_t b)
{
    return a > b ? a : b;
}

ONCE_INLINE fx_t once_smaller(fx_t a, fx_t b)
{
    return a < b ? a : b;
}

/* Whole numbers: saturated; quotient and remainder rounded down. An index from -1 counts from the
   end, one outside of the array is the nearest end. */
ONCE_INLINE fx_t once_whole(int64_t a)
{
    return a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : (fx_t)a;
}

ONCE_INLINE fx_t once_index(fx_t a, fx_t size)
{
    const fx_t from_start = a < 0 && a >= -size ? a + size : a;
    return from_start < 0 ? 0 : from_start >= size ? size - 1 : from_start;
}

ONCE_INLINE fx_t once_floor_divide(fx_t a, fx_t b)
{
    return a / b - (a % b < 0);
}

ONCE_INLINE fx_t once_floor_rest(fx_t a, fx_t b)
{
    const fx_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

ONCE_INLINE fx_t once_draw(fx_t *state, fx_t n)
{
    return (fx_t)random_below((uint32_t *)state, (uint32_t)n);
}

/* Index of the highest of `count` words, the lowest of equals. */
ONCE_INLINE fx_t once_argmax(const fx_t *words, fx_t count)
{
    fx_t best = 0;
    for (fx_t i = 1; i < count; ++i) {
        best = words[i] > words[best] ? i : best;
    }
    return best;
}

/* numerator / divisor, rounded towards zero; saturates. */
ONCE_INLINE fx_t once_divide(int64_t numerator, fx_t divisor, fx_t limit)
{
    uint32_t failed = 0;
    return once_clamp(fx_divide_wide(numerator, divisor, &failed), limit);
}

/* Bits of the magnitudes of a vector, and the left shifts that such a number has room for. */
ONCE_INLINE uint32_t once_bits(const fx_t *words, uint32_t count)
{
    uint32_t bits = 1;
    ONCE_UNROLL
    for (uint32_t i = 0; i < count; ++i) {
        bits |= (uint32_t)(words[i] ^ words[i] >> 31);
    }
    return bits;
}

#endif
