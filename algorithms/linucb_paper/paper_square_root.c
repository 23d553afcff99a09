/*
 * Square root, one binary digit of the root per step, two of the operand; no multiplication, no
 * division, no floating point.
 */
#include "paper_fixed.h"

/* a * 2^FX_FRACTION_BITS has at most 31 + FX_FRACTION_BITS bits. */
#define DIGITS ((31 + FX_FRACTION_BITS + 1) / 2)

__attribute__((noinline)) fx_t paper_square_root(fx_t a)
{
    if (a <= 0) {
#ifdef PAPER_COUNT_OVERFLOWS
        paper_overflows[PAPER_ROOT_OF_NEGATIVE] += a < 0;
#endif
        return 0;
    }
    const uint64_t operand = (uint64_t)(uint32_t)a << FX_FRACTION_BITS << (64 - 2 * DIGITS);
    uint32_t high = (uint32_t)(operand >> 32), low = (uint32_t)operand;
    uint32_t root = 0, remainder = 0;
    for (uint32_t step = 0; step < DIGITS; ++step) {
        remainder = remainder << 2 | high >> 30;
        high = high << 2 | low >> 30;
        low <<= 2;
        const uint32_t trial = root << 2 | 1;
        root <<= 1;
        if (remainder >= trial) {
            remainder -= trial;
            root |= 1;
        }
    }
    return (fx_t)(root + (remainder > root)); /* above the middle: round up */
}
