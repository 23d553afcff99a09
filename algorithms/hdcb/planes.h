/*
 * Hypervectors of components -3 to 3 in three bit planes, two's complement: a component is
 * p0 + 2 p1 - 4 p2. Sums and sums of squares of the components are maintained with them.
 */
#ifndef PLANES_H
#define PLANES_H

#include "hypervector.h"

struct clipped {
    uint32_t planes[3][HV_WORDS];
    int32_t sum;
    uint32_t squares;
};

static inline int32_t sum_of_word(uint32_t p0, uint32_t p1, uint32_t p2)
{
    return (int32_t)(hv_ones(p0) + 2 * hv_ones(p1)) - (int32_t)(4 * hv_ones(p2));
}

/* 1, 4 and 9 are the squares of odd components, of even ones, and 8 more than that of 1. */
static inline uint32_t squares_of_word(uint32_t p0, uint32_t p1, uint32_t p2)
{
    return hv_ones(p0) + 4 * hv_ones(p1 & ~p0) + 8 * hv_ones(p0 & (p1 ^ p2));
}

#ifdef UNIT_HAS_POPCOUNT
/* Dot product with a packed hypervector: the sum of all less twice that of the negated ones. */
static inline int32_t clipped_dot(const struct clipped *of, const uint32_t *x)
{
    int32_t negated = 0;
    for (uint32_t i = 0; i < HV_WORDS; ++i) {
        const uint32_t bits = x[i];
        negated += sum_of_word(of->planes[0][i] & bits, of->planes[1][i] & bits,
                               of->planes[2][i] & bits);
    }
    return of->sum - 2 * negated;
}
#else
/* Set bits of each group of four, up to 4. */
static inline uint32_t ones_of_nibbles(uint32_t word)
{
    word -= (word >> 1) & 0x55555555u;
    return (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
}

/*
 * Dot product with a packed hypervector: the sum of all less twice that of the negated ones. In a
 * nibble, the two lower planes give up to 12; in a byte, less those of the third, -32 to 24. With
 * 32 added they are summed by halfwords, up to 112 of each word, and a block does not overflow.
 */
static inline int32_t clipped_dot(const struct clipped *of, const uint32_t *x)
{
    enum { BLOCK = 512 };
    int32_t negated = 0;
    for (uint32_t from = 0; from < HV_WORDS; from += BLOCK) {
        const uint32_t end = HV_WORDS - from < BLOCK ? HV_WORDS : from + BLOCK;
        uint32_t sums = 0;
        for (uint32_t i = from; i < end; ++i) {
            const uint32_t bits = x[i];
            const uint32_t lower = ones_of_nibbles(of->planes[0][i] & bits) +
                                   2 * ones_of_nibbles(of->planes[1][i] & bits);
            const uint32_t third = ones_of_nibbles(of->planes[2][i] & bits);
            const uint32_t bytes = 0x20202020u + (lower & 0x0f0f0f0fu) + ((lower >> 4) & 0x0f0f0f0fu) -
                                   4 * ((third + (third >> 4)) & 0x0f0f0f0fu);
            sums += (bytes & 0x00ff00ffu) + ((bytes >> 8) & 0x00ff00ffu);
        }
        negated += (int32_t)((sums & 0xffffu) + (sums >> 16)) - (int32_t)(128 * (end - from));
    }
    return of->sum - 2 * negated;
}
#endif

/* Adds 1 where `up`, subtracts 1 where `down`, except at 3 and -3; both masks of one word. */
static inline void clipped_add(struct clipped *of, uint32_t word, uint32_t up, uint32_t down)
{
    uint32_t p0 = of->planes[0][word], p1 = of->planes[1][word], p2 = of->planes[2][word];
    of->sum -= sum_of_word(p0, p1, p2);
    of->squares -= squares_of_word(p0, p1, p2);
    up &= ~(p0 & p1 & ~p2);
    down &= ~(p0 & ~p1 & p2);
    /* A carry leaves a plane where it was set, a borrow where it was not. */
    const uint32_t second = (up & p0) | (down & ~p0);
    const uint32_t third = (up & p0 & p1) | (down & ~p0 & ~p1);
    p0 ^= up | down;
    p1 ^= second;
    p2 ^= third;
    of->planes[0][word] = p0;
    of->planes[1][word] = p1;
    of->planes[2][word] = p2;
    of->sum += sum_of_word(p0, p1, p2);
    of->squares += squares_of_word(p0, p1, p2);
}

#endif
