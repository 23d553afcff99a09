/*
 * Hypervectors of 16-bit components, saturating at +-32767, with the sum of their squares; and
 * their cosines, compared by cross-multiplied squares or as numbers in Q15.
 */
#ifndef ACCUMULATOR_H
#define ACCUMULATOR_H

#include "hypervector.h"

enum { HV_LARGEST = 32767 };

struct accumulator {
    int16_t sums[32 * HV_WORDS]; /* 0 after the last component */
    uint32_t squares[2];         /* sum of squares, 64 bits, low word first */
};

static inline uint64_t squares_of(const struct accumulator *of)
{
    return (uint64_t)of->squares[1] << 32 | of->squares[0];
}

static inline void set_squares(struct accumulator *of, uint64_t squares)
{
    of->squares[0] = (uint32_t)squares;
    of->squares[1] = (uint32_t)(squares >> 32);
}

/* 0 or -1: the bit of a component, whose place is known at compile time. */
#define NEGATIVE(bits, place) ((int32_t)((bits) << (31 - (place))) >> 31)
#define EIGHT(does, from) \
    does((from)) does((from) + 1) does((from) + 2) does((from) + 3) \
    does((from) + 4) does((from) + 5) does((from) + 6) does((from) + 7)

/*
 * Dot product with a packed hypervector. Of a component a whose bit is set, a ^ -1 is -a - 1, so the
 * number of set bits is added in the end; padding is 0, and its bits are not set.
 */
static inline int32_t accumulated_dot(const struct accumulator *of, const uint32_t *x)
{
    int32_t dot = 0;
    for (uint32_t word = 0; word < HV_WORDS; ++word) {
        uint32_t bits = x[word];
        dot += (int32_t)hv_ones(bits);
        const int16_t *const end = of->sums + 32 * (word + 1);
        for (const int16_t *sums = end - 32; sums < end; sums += 8, bits >>= 8) {
#define ADD(place) dot += sums[place] ^ NEGATIVE(bits, place);
            EIGHT(ADD, 0)
#undef ADD
        }
    }
    return dot;
}

/* Adds to one component, which may reach its limit; returns the change of its square. */
static inline int32_t accumulate_one(int16_t *sum, int32_t step)
{
    const int32_t before = *sum;
    int32_t after = before + step;
    after = after > HV_LARGEST ? HV_LARGEST : after < -HV_LARGEST ? -HV_LARGEST : after;
    *sum = (int16_t)after;
    return (after - before) * (after + before);
}

/* Adds step times a packed hypervector, |step| <= 127: 32 changes of squares fit a word. */
static inline void accumulate(struct accumulator *of, const uint32_t *x, int32_t step)
{
    uint64_t squares = squares_of(of);
    if (step == 0) {
        return;
    }
    for (uint32_t word = 0; word < HV_WORDS; ++word) {
        uint32_t bits = x[word];
        int16_t *sums = of->sums + 32 * word;
        int32_t change = 0;
        for (uint32_t left = hv_bits(word); left > 0;) {
            if (left < 8) {
                change += accumulate_one(sums, bits & 1u ? -step : step);
                ++sums, bits >>= 1, --left;
                continue;
            }
#define ADD(place) \
    change += accumulate_one(sums + (place), (step ^ NEGATIVE(bits, place)) - NEGATIVE(bits, place));
            EIGHT(ADD, 0)
#undef ADD
            sums += 8, bits >>= 8, left -= 8;
        }
        squares += (uint64_t)(int64_t)change;
    }
    set_squares(of, squares);
}

/* Each component becomes its sign, -1, 0 or 1. */
static inline void binarize(struct accumulator *of)
{
    uint32_t squares = 0;
    for (uint32_t i = 0; i < HV_COMPONENTS; ++i) {
        const int32_t sign = (of->sums[i] > 0) - (of->sums[i] < 0);
        of->sums[i] = (int16_t)sign;
        squares += sign != 0;
    }
    set_squares(of, squares);
}

/* Root of the next lower square. */
static inline uint32_t root_of(uint64_t value)
{
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 62; bit != 0; bit >>= 2) {
        const uint64_t tried = root + bit;
        root >>= 1;
        if (value >= tried) {
            value -= tried;
            root += bit;
        }
    }
    return (uint32_t)root;
}

/*
 * The cosine in Q15, toward 0; of a zero hypervector 0. squares D is below 2^62. A dot product never
 * exceeds the root, not even the lower whole number, since it is whole itself: the quotient is at
 * most 1, and its remainders fit a word.
 */
static inline int32_t cosine(int32_t dot, uint64_t squares)
{
    const uint32_t root = root_of(squares * HV_COMPONENTS);
    uint32_t rest = dot < 0 ? 0u - (uint32_t)dot : (uint32_t)dot;
    if (root == 0) {
        return 0;
    }
    uint32_t quotient = 0;
    for (int bit = 0; bit < 16; ++bit, rest <<= 1) {
        const uint32_t fits = rest >= root;
        rest -= fits ? root : 0;
        quotient = quotient << 1 | fits;
    }
    return dot < 0 ? -(int32_t)quotient : (int32_t)quotient;
}

#endif
