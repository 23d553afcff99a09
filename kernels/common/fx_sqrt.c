/*
 * floor(sqrt(value * 2^F)) of 64 bits, by divisions of 32: the upper half of the root by two steps
 * of Newton's method from a straight line, the lower half by one division of the remainder (Brent
 * and Zimmermann, Modern Computer Arithmetic, algorithm 1.12).
 */
#include "fx_divide.h"
#include "fx_sqrt.h"

/* floor(sqrt(value)) for value >= 2^30. */
static inline uint32_t root_of_32(uint32_t value)
{
    /* value / (3 * 2^15) + 22528 has an error of at most 4.3 %; a step squares and halves it, so
     * two leave less than one unit, on the upper side. */
    uint32_t root = (uint32_t)(((uint64_t)value * 43691u) >> 32) + 22528u;
    root = (root + value / root) / 2u;
    root = (root + value / root) / 2u;
    root = root > 0xffffu ? 0xffffu : root;
    return root * root > value ? root - 1u : root;
}

fx_t fx_sqrt(fx_t value)
{
    if (value == 0) {
        return 0;
    }
    /* value * 2^F = high, low, shifted right by an even number of bits */
    const uint32_t zeros = fx_leading_zeros((uint32_t)value);
    const uint32_t up = 32u + zeros - FX_FRACTION_BITS; /* from value * 2^F to a full 64 bits */
    const uint32_t odd = up & 1u;
    const uint32_t full = (uint32_t)value << zeros;
    const uint32_t high = full >> odd, low = odd != 0 ? full << 31 : 0;
    const uint32_t upper = root_of_32(high);
    const uint32_t rest = high - upper * upper; /* at most 2 * upper */
    uint32_t lower = (rest << 15 | low >> 17) / upper;
    lower = lower > 0xffffu ? 0xffffu : lower;
    const uint32_t root = upper << 16 | lower;
    const uint64_t square = (uint64_t)root * root;
    const uint64_t whole = (uint64_t)high << 32 | low;
    return (fx_t)((square > whole ? root - 1u : root) >> ((up - odd) / 2u));
}
