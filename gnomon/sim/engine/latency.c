/* Cycles that depend on operands, by latency model.

   gnomon/arch/operands.py describes the models: each looks cycles up by a number that the operands
   give. PROPERTIES, made from there, has the expressions of these numbers; the steps of dividers,
   which depend on all bits, are functions here. */
#include "engine.h"

#define WORD_BITS 32
/* Cheap properties must not pay for the registers that these save. */
#define STEPS static __attribute__((noinline)) i64

static i64 bit_length(u64 value) { return value ? 64 - __builtin_clzll(value) : 0; }

static i64 signs(u64 a, u64 b) {
    return 3 * (a ? 1 + (i64)(a >> 31) : 0) + (b ? 1 + (i64)(b >> 31) : 0);
}

static i64 bit_count(u64 value) {
    i64 count = 0;
    for (; value; value &= value - 1) count++;
    return count;
}

/* Shift a quotient bit, or several, into the pair of partial remainder and rest of the dividend. */
static void shift_pair(u64 *high, u64 *low, i64 shift, i64 width, u64 mask) {
    *high = *high << shift | *low >> (width - shift);
    *low = *low << shift & mask;
}

/* Skip known quotient zeros, then restore one bit, all in one cycle per step. Skips below
   least_skip or above most_skip exceed the shifter and are not made. */
STEPS skip_steps(u64 dividend, u64 divisor, i64 width, i64 least_skip, i64 most_skip) {
    u64 high = 0, low = dividend;
    const u64 mask = ((u64)1 << width) - 1;
    const i64 aligned = most(bit_length(divisor), 1); /* the counter stops at its last bit */
    i64 done = 0, steps = 0;
    while (done < width) {
        i64 skip = high ? aligned - bit_length(high) - 1 : aligned + width - bit_length(low) - 1;
        if (skip < least_skip || skip > most_skip) skip = 0;
        const i64 shift = least(most(skip, 0), width - 1 - done) + 1;
        shift_pair(&high, &low, shift, width, mask);
        if (high >= divisor) {
            high -= divisor;
            low |= 1;
        }
        done += shift;
        steps++;
    }
    return steps;
}

/* A skip takes its own cycle, and never two in a row. A skip beyond the quotient ends the loop.
   Zeros are special: the counter wraps. */
STEPS high_frequency_steps(u64 dividend, u64 divisor, i64 width) {
    if (divisor == 0) return 2;
    if (dividend == 0) return width;
    u64 high = 0, low = dividend;
    const u64 mask = ((u64)1 << width) - 1;
    const i64 aligned = bit_length(divisor);
    i64 done = 0, steps = 0;
    bool skipped = false;
    while (done < width) {
        const i64 left = width - 1 - done;
        i64 shift = 0;
        if (!skipped && left > 0) {
            if (high)
                shift = aligned - bit_length(high) - 1;
            else if (low)
                shift = aligned + width - bit_length(low) - 1;
        }
        if (shift > left) return steps + (done == 0 ? 2 : 1);
        skipped = shift > 0;
        shift = most(shift, 1);
        shift_pair(&high, &low, shift, width, mask);
        if (!skipped && high >= divisor) {
            high -= divisor;
            low |= 1;
        }
        done += shift;
        steps++;
    }
    return steps;
}

/* One step per quotient one, and one more if it ends in zero. */
STEPS high_performance_steps(u64 dividend, u64 divisor) {
    /* For divisor zero every compare succeeds: ones from the first bit of the dividend on. */
    const u64 quotient =
        divisor ? dividend / divisor : ((u64)1 << bit_length(dividend)) - 1;
    return bit_count(quotient) + 1 - (i64)(quotient & 1);
}

static inline __attribute__((always_inline)) const OperandCycles *
look_up(const Machine *m, const Latency *l, u32 x, u32 y, i64 shift) {
    const u32 mask = 0u - (u32)l->magnitudes;
    const u32 minus_x = (0u - (x >> 31)) & mask, minus_y = (0u - (y >> 31)) & mask; /* 0 or ~0 */
    const u64 a = (u64)((x ^ minus_x) - minus_x) << shift, b = (y ^ minus_y) - minus_y;
    const i64 width = WORD_BITS + shift, first = l->first, second = l->second;
    const OperandCycles *const cycles = m->operand_cycles + l->place;
    switch (l->property) {
#define CASE(NAME, ...) case PROPERTY_##NAME: return cycles + (__VA_ARGS__);
        PROPERTIES(CASE)
#undef CASE
    }
    return cycles;
}

i64 operand_cycles(const Machine *m, i64 row, u32 a, u32 b, i64 shift) {
    const Latency *l = m->latencies + row;
    return l->static_cycles + look_up(m, l, a, b, shift)->cycles;
}

i64 book_operands(Machine *m, i64 h, i64 index, u32 a, u32 b) {
    const Latency *l = m->latencies + m->decoded[index].latency;
    const OperandCycles *const taken = look_up(m, l, a, b, 0);
    const i64 cycles = taken->cycles, wait = taken->wait;
    m->acct[h].execute[l->timing_class] += cycles;
    dynamic(m, h, index)->execute += cycles;
    m->st->operand_wait = wait;
    if (wait) {
        m->acct[h].wait_fetch += wait;
        dynamic(m, h, index)->wait_fetch += wait;
    }
    return cycles + wait;
}
