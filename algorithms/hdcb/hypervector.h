/*
 * Packed hypervectors: 32 components a word, the lowest bit first; a bit b is the component
 * 1 - 2 b, so that XOR multiplies. Bits after the last component are 0.
 */
#ifndef HYPERVECTOR_H
#define HYPERVECTOR_H

#include <stdint.h>

#include "random.h"

#if defined(__has_include)
#if __has_include("units.h") /* instructions of the machine's units */
#include "units.h"
#endif
#endif

#ifndef LEARNER_COMPONENTS /* D */
#define LEARNER_COMPONENTS 1000
#endif
_Static_assert(LEARNER_COMPONENTS >= 2 && LEARNER_COMPONENTS <= 65535,
               "LEARNER_COMPONENTS: 2 to 65535, so that a dot product of 16-bit sums fits a word");

enum {
    HV_COMPONENTS = LEARNER_COMPONENTS,
    HV_WORDS = (LEARNER_COMPONENTS + 31) / 32,
    HV_LAST = LEARNER_COMPONENTS - 32 * ((LEARNER_COMPONENTS + 31) / 32 - 1) /* bits of the last word */
};
#define HV_LAST_MASK (0xffffffffu >> (32 - HV_LAST))

/* Components in a word. */
static inline uint32_t hv_bits(uint32_t word)
{
    return word == HV_WORDS - 1 ? HV_LAST : 32;
}

/* Number of set bits: one instruction, or pairs, nibbles and bytes in one word, then their sum. */
static inline uint32_t hv_ones(uint32_t word)
{
#ifdef UNIT_HAS_POPCOUNT
    return popcount(word);
#else
    word -= (word >> 1) & 0x55555555u;
    word = (word & 0x33333333u) + ((word >> 2) & 0x33333333u);
    return (((word + (word >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
#endif
}

/* Components in which two hypervectors differ; their dot product is D less twice as many. */
static inline uint32_t hv_hamming(const uint32_t *a, const uint32_t *b)
{
    uint32_t differ = 0;
    for (uint32_t i = 0; i < HV_WORDS; ++i) {
        differ += hv_ones(a[i] ^ b[i]);
    }
    return differ;
}

/* A random hypervector. */
static inline void hv_draw(uint32_t *random, uint32_t *to)
{
    for (uint32_t i = 0; i < HV_WORDS; ++i) {
        to[i] = next_random(random);
    }
    to[HV_WORDS - 1] &= HV_LAST_MASK;
}

/* Component i moves to i + 1, the last one to 0. */
static inline void hv_rotate(const uint32_t *from, uint32_t *to)
{
    uint32_t carry = from[HV_WORDS - 1] >> (HV_LAST - 1) & 1u;
    for (uint32_t i = 0; i < HV_WORDS; ++i) {
        const uint32_t word = from[i];
        to[i] = word << 1 | carry;
        carry = word >> 31;
    }
    to[HV_WORDS - 1] &= HV_LAST_MASK;
}

/*
 * Bits that are set with the probability share / 2^bits each, 0 < share <= 2^bits. From the lowest
 * set bit of the share up, OR with a random word averages the probability with 1, AND with 0.
 */
static inline uint32_t hv_bernoulli(uint32_t *random, uint32_t share, uint32_t bits)
{
    if (share >> bits) {
        return 0xffffffffu;
    }
    uint32_t mask = 0;
    int started = 0;
    for (uint32_t i = 0; i < bits; ++i) {
        const uint32_t one = share >> i & 1u;
        if (started || one) {
            const uint32_t word = next_random(random);
            mask = one ? mask | word : mask & word;
            started = 1;
        }
    }
    return mask;
}

#endif
