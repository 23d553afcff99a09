/*
 * Fixed-point numbers: signed 32 bit, FX_FRACTION_BITS of them after the binary point.
 *
 * With the default of 15 (Q16.15) the range is -65536 .. 65536 - 2^-15 in steps of 2^-15. The last
 * word of a kernel's name states how it treats numbers out of range:
 *   _wrap      they wrap modulo 2^32; nothing traps and nothing saturates;
 *   _saturate  they become the nearest number of the range, and the status reports it;
 *   _checked   the kernel stops and reports it by its status; its header states the result it
 *              leaves;
 *   _exact     there are none.
 * All functions use unsigned arithmetic, so they are defined C for all flags of the compiler.
 */
#ifndef FX_H
#define FX_H

#include <stdint.h>

typedef int32_t fx_t;

#ifndef FX_FRACTION_BITS
#define FX_FRACTION_BITS 15
#endif
#if FX_FRACTION_BITS < 1 || FX_FRACTION_BITS > 30
#error "fx.h: FX_FRACTION_BITS must be from 1 to 30"
#endif

#define FX_ONE ((fx_t)1 << FX_FRACTION_BITS)

/* Status of a kernel that can fail. Of several failures the kernel returns the largest number. */
enum fx_status {
    FX_OK = 0,
    FX_OVERFLOW = 1,  /* a number leaves the range, or a sum the exact range of the kernel */
    FX_UNDEFINED = 2, /* division by zero, square root of a negative number */
    FX_SINGULAR = 3,  /* a pivot is zero, or not positive where it must be */
    FX_TOO_LARGE = 4  /* operands do not fit the scratchpads */
};

/* a + b, wraps. */
static inline fx_t fx_add_wrap(fx_t a, fx_t b)
{
    return (fx_t)((uint32_t)a + (uint32_t)b);
}

/* a - b, wraps. */
static inline fx_t fx_subtract_wrap(fx_t a, fx_t b)
{
    return (fx_t)((uint32_t)a - (uint32_t)b);
}

/* *sum += value, wraps. An object may be read as its unsigned twin. */
static inline void fx_accumulate_wrap(fx_t *sum, fx_t value)
{
    *(uint32_t *)sum += (uint32_t)value;
}

/* a * b from the 64-bit product, rounded down, wraps. Error below one step. */
static inline fx_t fx_multiply_floor_wrap(fx_t a, fx_t b)
{
    return (fx_t)(uint32_t)(uint64_t)(((int64_t)a * (int64_t)b) >> FX_FRACTION_BITS);
}

/*
 * a * b from the 64-bit product, rounded towards zero, wraps. The division by a power of two
 * rounds towards zero; a shift would round down. Error below one step, 2^-FX_FRACTION_BITS.
 */
static inline fx_t fx_multiply_toward_zero_wrap(fx_t a, fx_t b)
{
    const int64_t product = (int64_t)a * (int64_t)b;
    return (fx_t)(uint32_t)(uint64_t)(product / ((int64_t)1 << FX_FRACTION_BITS));
}

#endif
