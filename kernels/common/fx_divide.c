/*
 * Long division in digits of 16 bits, by the schoolbook method with a normalised divisor (Knuth,
 * The Art of Computer Programming, volume 2, 4.3.1, algorithm D): a digit costs one 32-bit
 * division, which may be one or two too large, and a correction. Digits known to be 0
 * are skipped, and small operands need no normalisation, so most quotients take one division.
 *
 * Measured on the T13, one hart, zig 0.17.0 -O2, Q16.15, cycles per quotient with its loop:
 *                                                here    compiler's library    shift and subtract
 *   1 / b, b from 1 to 1000                       138                   461                  1415
 *   a / b, b from 1 to 1000, quotient below 2     262                   473                  1420
 *   a up to 1000, b from 1/16 to 2                222                   466                  1421
 *   a up to 2048, b from 1/16 to 65536            299                   477                  1422
 */
#include "fx_divide.h"

/* One digit: (rest * 2^16 + digit) / divisor, for a divisor with bit 31 set and rest < divisor. */
static inline uint32_t next_digit(uint32_t *rest, uint32_t digit, uint32_t divisor)
{
    const uint32_t high = divisor >> 16, low = divisor & 0xffffu;
    uint32_t quotient = *rest / high;
    uint32_t left = *rest - quotient * high;
    while (quotient > 0xffffu || quotient * low > (left << 16 | digit)) {
        --quotient;
        left += high;
        if (left > 0xffffu) {
            break;
        }
    }
    *rest = (*rest << 16 | digit) - quotient * divisor;
    return quotient;
}

/* (high * 2^32 + low) / divisor, for high < divisor: then the quotient has 32 bits. Inline, since a
 * function that calls none has no registers to save, which would take 40 cycles. */
static inline __attribute__((always_inline)) uint32_t divide(uint32_t high, uint32_t low,
                                                             uint32_t divisor)
{
    if (high == 0) {
        return low / divisor;
    }
    if (divisor <= 0xffffu) { /* the rest and a digit fit 32 bits without normalisation */
        const uint32_t first = high << 16 | low >> 16;
        const uint32_t quotient = first / divisor;
        const uint32_t rest = first - quotient * divisor;
        return quotient << 16 | (rest << 16 | (low & 0xffffu)) / divisor;
    }
    const uint32_t shift = fx_leading_zeros(divisor);
    if (shift != 0) {
        divisor <<= shift;
        high = high << shift | low >> (32u - shift);
        low <<= shift;
    }
    uint32_t rest = high, quotient = 0;
    if (rest <= 0xffffu && (rest << 16 | low >> 16) < divisor) { /* the first digit is 0 */
        rest = rest << 16 | low >> 16;
    } else {
        quotient = next_digit(&rest, low >> 16, divisor) << 16;
    }
    return quotient | next_digit(&rest, low & 0xffffu, divisor);
}

static fx_t fail(uint32_t *failed, uint32_t why, fx_t result)
{
    if (*failed < why) {
        *failed = why;
    }
    return result;
}

fx_t fx_divide_wide(int64_t numerator, fx_t divisor, uint32_t *failed)
{
    const uint32_t negative = (uint32_t)((int32_t)(numerator >> 32) ^ divisor) >> 31;
    const uint64_t size = numerator < 0 ? 0 - (uint64_t)numerator : (uint64_t)numerator;
    const uint32_t by = divisor < 0 ? 0u - (uint32_t)divisor : (uint32_t)divisor;
    const uint32_t largest = 0x7fffffffu + negative; /* magnitude, by the sign of the quotient */
    const uint32_t high = (uint32_t)(size >> 32);
    if (high >= by) {
        if (by != 0) {
            return fail(failed, FX_OVERFLOW, (fx_t)largest);
        }
        return fail(failed, FX_UNDEFINED, size == 0 ? 0 : (fx_t)largest);
    }
    const uint32_t quotient = divide(high, (uint32_t)size, by);
    if (quotient > largest) {
        return fail(failed, FX_OVERFLOW, (fx_t)largest);
    }
    return (fx_t)(negative != 0 ? 0u - quotient : quotient);
}

struct fx_reciprocal fx_reciprocal(fx_t divisor)
{
    const uint32_t zeros = fx_leading_zeros((uint32_t)divisor);
    const struct fx_reciprocal result = {
        .factor = (fx_t)divide(0x3fffffffu, 0xffffffffu, (uint32_t)divisor << zeros),
        .shift = 62u - zeros - FX_FRACTION_BITS,
    };
    return result;
}
