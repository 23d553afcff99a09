/*
 * Epsilon-greedy choice of the largest cosine, without square root and division: with the signs
 * of the dot products, a^2 / A > b^2 / B where a^2 B > b^2 A, in up to 128 bits.
 */
#ifndef EXPLORER_H
#define EXPLORER_H

#include "encoder.h"
#include "epsilon.h"

/* A dot product with the context, and the sum of squares of the hypervector; 1 of a zero one. */
struct similarity {
    int32_t dot;
    uint64_t squares;
};

struct wide {
    uint64_t high, low;
};

static inline struct wide wide_product(uint64_t a, uint64_t b)
{
    const uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
    const uint64_t low = a0 * b0, left = a1 * b0, right = a0 * b1;
    const uint64_t middle = (low >> 32) + (uint32_t)left + (uint32_t)right;
    return (struct wide){a1 * b1 + (left >> 32) + (right >> 32) + (middle >> 32),
                         middle << 32 | (uint32_t)low};
}

static inline uint64_t square(int32_t value)
{
    return (uint64_t)((int64_t)value * value);
}

/* Whether the cosine of a is larger than that of b. */
static inline int nearer(struct similarity a, struct similarity b)
{
    if ((a.dot > 0) != (b.dot > 0) || (a.dot < 0) != (b.dot < 0)) {
        return a.dot > b.dot;
    }
    const struct wide of_a = wide_product(square(a.dot), b.squares);
    const struct wide of_b = wide_product(square(b.dot), a.squares);
    const int larger = of_a.high != of_b.high ? of_a.high > of_b.high : of_a.low > of_b.low;
    const int smaller = of_a.high != of_b.high ? of_a.high < of_b.high : of_a.low < of_b.low;
    return a.dot > 0 ? larger : smaller;
}

#endif
