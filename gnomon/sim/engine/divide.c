/* Dividers: cycles by latency model, and the results of vector division and post-scaled products.

   The latency models are those of gnomon/arch/dividers, which has their sources; here they apply to
   scratchpads, lanes and transfers. A vector division takes one step per `simd` words and each step
   waits for its slowest lane. Steps do not overlap, so a step reads the results of earlier steps.
   Source: docs/notes/vector-divide.md. That a transfer in flight delays a division as it delays
   other vector instructions is an inference. */
#include "engine.h"

#define WORD_BITS 32
#define LENGTHS (WORD_BITS + 1) /* bit lengths 0 to 32: rows and columns of a latency table */
#define ANY_SKIP 128
#define STEP_OVERHEAD_CYCLES 2 /* beyond the divider: one hand-over, one write-back (measured) */

typedef struct Law {
    i64 law, first, second;
    const i64 *table;
} Law;

static i64 bit_length(u64 value) { return value ? 64 - __builtin_clzll(value) : 0; }

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
static i64 standard_steps(u64 dividend, u64 divisor, i64 width, i64 least_skip, i64 most_skip) {
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
static i64 high_frequency_steps(u64 dividend, u64 divisor, i64 width) {
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
static i64 high_performance_steps(u64 dividend, u64 divisor) {
    /* For divisor zero every compare succeeds: ones from the first bit of the dividend on. */
    const u64 quotient =
        divisor ? dividend / divisor : ((u64)1 << bit_length(dividend)) - 1;
    return bit_count(quotient) + 1 - (i64)(quotient & 1);
}

/* Cycles of the divider itself, from the operands to the result. */
static i64 engine_cycles(const Law *law, u64 dividend, u64 divisor, i64 width) {
    const i64 bits = bit_length(dividend), by = bit_length(divisor);
    switch (law->law) {
    case LAW_FIXED: return law->first;
    case LAW_DIGITS: return (width + law->first - 1) / law->first + law->second;
    case LAW_VL_STD: return 2 + standard_steps(dividend, divisor, width, 0, ANY_SKIP);
    case LAW_VL_HF: return 2 + high_frequency_steps(dividend, divisor, width);
    case LAW_VL_LS: return 2 + standard_steps(dividend, divisor, width, law->first, law->second);
    case LAW_VL_HP: return 2 + high_performance_steps(dividend, divisor);
    case LAW_EARLY_CLZ:
        return bits < by || divisor == 0 ? 1 : 1 + (bits - by + law->first) / law->first;
    case LAW_DIVISOR_CLZ: return law->first + WORD_BITS - by;
    }
    return law->table[LENGTHS * bits + by];
}

static u32 magnitude(u32 value) { return (s32)value < 0 ? 0u - value : value; }

i64 scalar_divide_cycles(const Machine *m, u32 x, u32 y, bool is_signed) {
    const Law law = {m->cfg->div_law, m->cfg->div_first, m->cfg->div_second, m->laws};
    return 1 + engine_cycles(&law, is_signed ? magnitude(x) : x, is_signed ? magnitude(y) : y,
                             WORD_BITS);
}

i64 lane_cycles(const Machine *m, s32 x, s32 y, i64 shift) {
    const Config *cfg = m->cfg;
    const Law law = {cfg->vdiv_law, cfg->vdiv_first, cfg->vdiv_second, m->laws + m->law_entries};
    if (x == 0 || y == 0) return 0; /* nothing to divide */
    return engine_cycles(&law, (u64)magnitude((u32)x) << shift, magnitude((u32)y),
                         WORD_BITS + shift);
}

i64 step_cycles(i64 slowest) {
    return slowest ? STEP_OVERHEAD_CYCLES + slowest : TRIVIAL_STEP_CYCLES;
}

/* The only step of a vector no longer than the lanes, in the public Morph RTL. */
static i64 lost_step_cycles(i64 slowest) {
    return slowest ? STEP_OVERHEAD_CYCLES + 2 : TRIVIAL_STEP_CYCLES;
}

/* The result of one element by the instruction table. */
static inline u32 element(i64 o, u32 x, u32 y, u32 n) {
    switch (o) {
#define CASE(NAME, ELEMENT) case OP_##NAME: return (u32)(ELEMENT);
        OPS_KDSP_OPTIONAL(CASE)
#undef CASE
    }
    return 0;
}

/* The result of one lane. */
static s32 divided(const Machine *m, i64 o, s32 x, s32 y, i64 shift) {
    const u32 result = element(o, (u32)x, (u32)y, (u32)shift);
    if (IS_OF(KDIVPS, o)) return (s32)result;
    if (y == 0) return m->cfg->divide_zero_riscv ? (s32)result : 0;
    return (s32)(m->cfg->morph.divide_drops_signs ? magnitude(result) : result);
}

i64 divide_vector(Machine *m, i64 o, i64 a, i64 b, i64 d, i64 words, s32 scalar, i64 shift,
                  bool vector_b, i64 *first_write) {
    const i64 lanes = m->cfg->simd;
    const bool proposal = IS_OF(KDIVPS, o); /* which has no quirks */
    const bool lost = !proposal && m->cfg->morph.divide_loses_short_vectors && words <= lanes;
    const bool tail = !proposal && m->cfg->morph.divide_tail_lanes_gate;
    s32 *const spm = m->spm;
    i64 cycles = START_UP_CYCLES;
    if (!proposal) shift = 0;
    *first_write = 0;
    for (i64 first = 0; first < words; first += lanes) {
        i64 slowest = 0;
        for (i64 k = first; k < first + lanes; k++) {
            /* Lanes beyond the end of the vector read on, up to the end of the scratchpads. */
            if (k >= words && !(tail && a + k < m->spm_words && b + k < m->spm_words)) continue;
            const s32 x = spm[a + k], y = vector_b ? spm[b + k] : scalar;
            slowest = most(slowest, lane_cycles(m, x, y, shift));
            if (k < words) m->temp[k - first] = lost ? 0 : divided(m, o, x, y, shift);
        }
        for (i64 k = first; k < least(first + lanes, words); k++) spm[d + k] = m->temp[k - first];
        cycles += lost ? lost_step_cycles(slowest) : step_cycles(slowest);
        if (first == 0) *first_write = cycles - 1;
    }
    return cycles;
}

/* 8- and 16-bit division of the Morph RTL: zeros, in trivial steps. */
i64 narrow_division(Machine *m, i64 d, i64 words, i64 *first_write) {
    for (i64 k = 0; k < words; k++) m->spm[d + k] = 0;
    *first_write = START_UP_CYCLES + TRIVIAL_STEP_CYCLES - 1;
    return START_UP_CYCLES + TRIVIAL_STEP_CYCLES * ((words + m->cfg->simd - 1) / m->cfg->simd);
}

/* Post-scaled products, in the time of kvmul. Hazards as in the other instructions. */
void scaled_products(Machine *m, i64 o, i64 a, i64 b, i64 d, i64 words, i64 per_beat, i64 delay,
                     s32 scalar, i64 shift, bool vector_b, bool hazard) {
    const bool as_unsigned = m->cfg->morph.postscale_reads_unsigned;
    s32 *const spm = m->spm;
    i64 written = 0;
    for (i64 k = 0; k < words; k++) {
        if (hazard && k % per_beat == 0)
            for (; written < least((k / per_beat - delay) * per_beat, words); written++)
                spm[d + written] = m->temp[written];
        const s32 x = spm[a + k], y = vector_b ? spm[b + k] : scalar;
        const s32 result = as_unsigned ? (s32)(u32)((u64)(u32)x * (u32)y >> shift)
                                       : (s32)element(o, (u32)x, (u32)y, (u32)shift);
        *(hazard ? &m->temp[k] : &spm[d + k]) = result;
    }
    if (hazard)
        for (i64 k = written; k < words; k++) spm[d + k] = m->temp[k];
}
