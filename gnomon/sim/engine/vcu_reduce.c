/* Reductions: kvred, kdotp, kdotpps and those of units write one word, a sum over beats.

   Words are summed in full. Narrow lanes go through the array of 16-bit multipliers, half words as
   they are and bytes zero-extended, and a beat is summed modulo 2^16. */
#include "vcu.h"

/* A summand of an instruction: elements x and y, shift n. */
static inline u32 element(i64 o, u32 x, u32 y, u32 n) {
    (void)n;
    switch (o) {
#define CASE(NAME, ELEMENT) case OP_##NAME: return (u32)(ELEMENT);
        OPS_KDSP(CASE)
    }
    return 0;
}

static u32 sum_words(i64 o, const s32 *a, const s32 *b, i64 words, u32 shift) {
    u32 sum = 0;
    if (o == OP_KVRED)
        for (i64 k = 0; k < words; k++)
            sum += element(OP_KVRED, (u32)a[k], 0, 0);
    else if (o == OP_KDOTP)
        for (i64 k = 0; k < words; k++)
            sum += element(OP_KDOTP, (u32)a[k], (u32)b[k], 0);
    else
        for (i64 k = 0; k < words; k++)
            sum += element(OP_KDOTPPS, (u32)a[k], (u32)b[k], shift);
    return sum;
}

/* Post-scale two 16-bit products in one word, as kdotpps does: the shifter works on words. */
static u32 scaled_pair(u32 word, i64 type, u32 shift, u32 mask_shift) {
    if (type == TYPE_16) {
        const u32 keep = ((1u << (16 - mask_shift)) - 1) * 0x00010001u;
        const u32 fill = 0xFFFF & ~((1u << (15 - shift % 16)) - 1);
        return (word >> shift & keep) | (word >> 15 & 0x00010001u) * fill;
    }
    /* Bytes: only the low 8 - (shift mod 8) bits of each half survive, and every byte is sign
       filled. As in shifts, mask and fill may use different amounts. */
    const u32 keep = ((1u << (8 - mask_shift)) - 1) * 0x00010001u;
    const u32 fill = 0xFF & ~((1u << (7 - shift % 8)) - 1);
    return (word >> shift & keep) | (word >> 7 & 0x01010101u) * fill;
}

/* The summand of one beat of narrow lanes; lanes beyond the vector count as zero. */
static u32 sum_lanes(const Reduction *r, i64 first) {
    const i64 size = r->type == TYPE_16 ? 2 : 1;
    const u32 full = r->type == TYPE_16 ? 0xFFFF : 0xFF;
    u32 sum = 0, previous = 0;
    for (i64 lane = 0; lane * size < r->beat_bytes; lane++) {
        const i64 byte = first + lane * size;
        u32 value = 0;
        if (byte < r->size_bytes) {
            const i64 place = 8 * (r->repeats_low_half ? byte & 1 : byte & 3);
            value = (u32)r->a[byte >> 2] >> place & full;
            if (r->op != OP_KVRED)
                value = value * ((u32)r->b[byte >> 2] >> place & full) & 0xFFFF;
        }
        if (r->op != OP_KDOTPPS) {
            sum += value;
        } else if (lane & 1) { /* products are scaled in pairs */
            const u32 pair =
                scaled_pair(previous | value << 16, r->type, r->shift, r->mask_shift);
            sum += (pair & 0xFFFF) + (pair >> 16);
        }
        previous = value;
    }
    return sum & 0xFFFF;
}

/* Of a unit of the machine: elements and their sum have 32 bits, whatever the lanes. */
static u32 sum_own(const Reduction *r, i64 first, i64 bytes) {
    return r->own((u32)r->type, NULL, r->a + first / 4, r->b + first / 4, bytes >> r->type,
                  r->scalar, r->c);
}

static u32 sum_beat(const Reduction *r, i64 first) {
    const i64 bytes = least(r->beat_bytes, r->size_bytes - first);
    if (r->own)
        return sum_own(r, first, bytes);
    if (r->type != TYPE_32)
        return sum_lanes(r, first);
    return sum_words(r->op, r->a + first / 4, r->b + first / 4, bytes / 4, r->shift);
}

/* held: the accumulator adds in every cycle or is cleared, so it keeps only the content of the
   pipeline after the adder: neither the first sum, which a register before the scratchpad kept and
   wrote, nor the second, nor that of a last beat whose lane mask came in the wait
   (RTL-Accumulator.vhd, fsm_ACCUM_STAGE; RTL-DSP_Unit.vhd, DSP_Exec_Unit). */
void vcu_reduce(const Reduction *r, s32 *sums) {
    if (r->own && !r->overlaps && !r->held) {
        *r->d = (s32)sum_own(r, 0, r->size_bytes);
        return;
    }
    if (r->type == TYPE_32 && !r->overlaps && !r->held) {
        *r->d = (s32)sum_words(r->op, r->a, r->b, r->size_bytes / 4, r->shift);
        return;
    }
    const i64 beats = (r->size_bytes + r->beat_bytes - 1) / r->beat_bytes;
    const bool late_mask = beats == r->start_up;
    u32 total = 0;
    for (i64 k = 0; k < beats; k++) {
        /* Bytes with one lane: the odd beats find the word of the even ones on the ports. */
        if (r->overlaps && k > r->delay && !(r->repeats_low_half && (k & 1)))
            *r->d = sums[k - r->delay - 1];
        const u32 sum = sum_beat(r, k * r->beat_bytes);
        if (!(r->held && (k < 2 || (late_mask && k + 1 == beats))))
            total += sum;
        if (r->overlaps)
            sums[k] = (s32)total;
    }
    *r->d = (s32)total;
}
