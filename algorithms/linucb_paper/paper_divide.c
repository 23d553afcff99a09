/*
 * 64-bit by 32-bit division from 32-bit ones: two quotient digits of 16 bits, each guessed from
 * the upper half of the normalised divisor and corrected at most twice (Knuth, The Art of
 * Computer Programming, volume 2, section 4.3.1, algorithm D, in base 2^16).
 *
 * Quotient and remainder of each guess are an instruction of their own, as in the published
 * build: 4 DIVU/REMU per division, 5 where the quotient does not fit 32 bits, none for b = 0.
 */
#include "paper_fixed.h"

#ifdef PAPER_COUNT_OVERFLOWS
uint64_t paper_overflows[PAPER_OVERFLOW_KINDS];
#endif

/* Keeps the compiler from computing a remainder as a - q * b; no instruction of its own. */
#define OPAQUE(value) __asm__("" : "+r"(value))

/* Bits of 0 .. 255 up to the highest 1. */
static const uint8_t bit_length[256] = {
#define ROW16(n) n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n
    0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
    ROW16(5), ROW16(6), ROW16(6), ROW16(7), ROW16(7), ROW16(7), ROW16(7), ROW16(8),
    ROW16(8), ROW16(8), ROW16(8), ROW16(8), ROW16(8), ROW16(8), ROW16(8),
#undef ROW16
};

/* From 1 up: leading zeros. */
static inline uint32_t leading_zeros(uint32_t value)
{
    uint32_t below;
    if (value < 1u << 16) {
        below = value < 1u << 8 ? 0 : 8;
    } else {
        below = value < 1u << 24 ? 16 : 24;
    }
    return 32 - below - bit_length[value >> below];
}

/* One digit of (*remainder * 2^16 + next) / divisor, with *remainder < divisor >= 2^31. */
static inline uint32_t digit(uint32_t *remainder, uint32_t next, uint32_t divisor)
{
    const uint32_t upper = divisor >> 16;
    uint32_t numerator = *remainder;
    uint32_t guess = numerator / upper;
    OPAQUE(numerator);
    uint32_t left = numerator % upper << 16 | next;
    const uint32_t taken = guess * (divisor & 0xFFFF);
    if (left < taken) {
        --guess;
        left += divisor;
        if (left >= divisor && left < taken) { /* no carry, and still too large a guess */
            --guess;
            left += divisor;
        }
    }
    *remainder = left - taken;
    return guess;
}

__attribute__((noinline)) fx_t paper_divide(fx_t a, fx_t b)
{
    const uint32_t magnitude = a < 0 ? 0u - (uint32_t)a : (uint32_t)a;
    uint32_t divisor = b < 0 ? 0u - (uint32_t)b : (uint32_t)b;
    if (divisor == 0) {
#ifdef PAPER_COUNT_OVERFLOWS
        ++paper_overflows[PAPER_DIVIDE_BY_ZERO];
#endif
        return a < 0 ? INT32_MIN : INT32_MAX;
    }
    PAPER_CHECK(PAPER_DIVIDE, (int64_t)((uint64_t)(int64_t)a << FX_FRACTION_BITS) / b);
    uint32_t high = magnitude >> (32 - FX_FRACTION_BITS);
    uint32_t low = magnitude << FX_FRACTION_BITS;
    if (high >= divisor) {
        high %= divisor; /* the quotient wraps */
    }
    const uint32_t shift = leading_zeros(divisor);
    if (shift != 0) {
        divisor <<= shift;
        high = high << shift | low >> (32 - shift);
        low <<= shift;
    }
    const uint32_t upper_digit = digit(&high, low >> 16, divisor);
    const uint32_t quotient = upper_digit << 16 | digit(&high, low & 0xFFFF, divisor);
    return (fx_t)((a ^ b) < 0 ? 0u - quotient : quotient);
}
