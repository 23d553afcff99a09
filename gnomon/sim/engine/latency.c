/* Steps of dividers, and the accounting of cycles that depend on operands. */
#include "latency.h"

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
i64 skip_steps(u64 dividend, u64 divisor, i64 width, i64 least_skip, i64 most_skip) {
    u64 high = 0, low = dividend;
    const u64 mask = ((u64)1 << width) - 1, range = (u64)(most_skip - least_skip);
    const i64 aligned = most(bit_length(divisor), 1); /* the counter stops at its last bit */
    i64 steps = 0;
    for (i64 left = width; left > 0; steps++) {
        const i64 zeros = aligned - 1 - (high ? bit_length(high) : bit_length(low) - width);
        const bool skips = (u64)(zeros - least_skip) <= range;
        const i64 shift = least(skips ? zeros : 0, left - 1) + 1;
        shift_pair(&high, &low, shift, width, mask);
        if (high >= divisor) {
            high -= divisor;
            low |= 1;
        }
        left -= shift;
    }
    return steps;
}

/* A skip takes its own cycle, and never two in a row. A skip beyond the quotient ends the loop.
   Zeros are special: the counter wraps. */
i64 high_frequency_steps(u64 dividend, u64 divisor, i64 width) {
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
i64 high_performance_steps(u64 dividend, u64 divisor) {
    /* For divisor zero every compare succeeds: ones from the first bit of the dividend on. */
    const u64 quotient =
        divisor ? dividend / divisor : ((u64)1 << bit_length(dividend)) - 1;
    return bit_count(quotient) + 1 - (i64)(quotient & 1);
}

i64 operand_cycles(const Machine *m, i64 row, u32 a, u32 b, i64 shift) {
    const Latency *l = m->latencies + row;
    return l->static_cycles + look_up(l, a, b, shift)->cycles;
}

i64 book_operand_wait(Machine *m, i64 h, i64 index, i64 cycles) {
    m->st->operand_wait = cycles;
    m->acct[h].wait_fetch += cycles;
    dynamic(m, h, index)->wait_fetch += cycles;
    return cycles;
}

i64 book_operands(Machine *m, i64 h, i64 index, u32 a, u32 b) {
    const Latency *l = m->latencies + m->decoded[index].latency;
    const OperandCycles *const taken = look_up(l, a, b, 0);
    const i64 cycles = taken->cycles, wait = taken->wait;
    book_execute(m, h, index, cycles);
    return wait ? cycles + book_operand_wait(m, h, index, wait) : cycles;
}
