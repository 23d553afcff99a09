/*
 * Fixed-point products on a vector unit that keeps only the low 32 bits of a product.
 *
 * The operands are shifted right before the multiplication and the product (or a sum of products)
 * after it; every shift rounds down. The three shifts add up to the binary point:
 *     FX_PRE_SHIFT_A + FX_PRE_SHIFT_B + FX_POST_SHIFT = FX_FRACTION_BITS.
 * By default each takes a third, 5 + 5 + 5 for Q16.15. Smaller pre-shifts: more accurate operands, less
 * room for the product. Its value, in real numbers, must lie within
 *     +-2^(31 - FX_FRACTION_BITS - FX_POST_SHIFT)        (+-2048 by default),
 * or it wraps before the last shift.
 */
#ifndef FX_VECTOR_H
#define FX_VECTOR_H

#include "fx.h"
#include "vcu.h"

#ifndef FX_PRE_SHIFT_A
#define FX_PRE_SHIFT_A (FX_FRACTION_BITS / 3)
#endif
#ifndef FX_PRE_SHIFT_B
#define FX_PRE_SHIFT_B (FX_FRACTION_BITS / 3)
#endif
#ifndef FX_POST_SHIFT
#define FX_POST_SHIFT (FX_FRACTION_BITS - FX_PRE_SHIFT_A - FX_PRE_SHIFT_B)
#endif
#if FX_PRE_SHIFT_A < 0 || FX_PRE_SHIFT_B < 0 || FX_POST_SHIFT < 0 || \
    FX_PRE_SHIFT_A + FX_PRE_SHIFT_B + FX_POST_SHIFT != FX_FRACTION_BITS
#error "fx_vector.h: FX_PRE_SHIFT_A + FX_PRE_SHIFT_B + FX_POST_SHIFT must be FX_FRACTION_BITS"
#endif

/* Two pairs of scratchpads: one is computed on while the other is filled or emptied. A file that uses
 * another number defines it before it includes this file. */
#ifndef FX_SCRATCHPADS
#define FX_SCRATCHPADS 4
#endif
#if VCU_SPM_COUNT < FX_SCRATCHPADS
#error "fx_vector.h: the machine has fewer scratchpads than FX_SCRATCHPADS"
#endif

/*
 * Computes x at this place. The core starts an instruction every third cycle, so a
 * vector instruction leaves issue slots for scalar ones: they must stand between it and
 * the next one, where the compiler, which has no cost model for them, would not place them.
 */
#define FX_HERE(x) __asm__ volatile("" : "+r"(x))

/* x += y, as one instruction at its place between vector instructions; FX_HERE keeps it from
 * moving down, but not up. Loads and stores stay where they are if they are volatile. */
#ifdef __riscv
#define FX_ADD_HERE(x, y) __asm__ volatile("add %0, %0, %1" : "+r"(x) : "rI"(y))
#else
#define FX_ADD_HERE(x, y) ((x) += (y))
#endif

#define FX_SPM_WORDS ((uint32_t)(VCU_SPM_BYTES) / 4u)

#endif
