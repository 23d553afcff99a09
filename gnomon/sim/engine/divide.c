/* Vector division: results, cycles, and post-scaled products.

   A vector division takes one step per `simd` words and each step waits for its slowest lane. Steps
   do not overlap, so a step reads the results of earlier steps. Source: docs/notes/vector-divide.md.
   That a transfer in flight delays a division as it delays other vector instructions is an
   inference. */
#include "latency.h"

i64 lane_cycles(const Machine *m, s32 x, s32 y, i64 shift) {
    if (x == 0 || y == 0) return 0; /* nothing to divide */
    return look_up(m->latencies + LANE_LATENCY, (u32)x, (u32)y, shift)->cycles;
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
    return (s32)(m->cfg->morph.divide_drops_signs ? (u32)magnitude(result) : result);
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
