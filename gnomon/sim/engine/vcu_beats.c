/* Element-wise results beat by beat, as a beat may read the result of an earlier one.

   A beat reads a line of one word per lane and writes one. Beat k reads in cycle r0 + k, beat j
   writes in w0 + j, so k sees the write of j if j + (w0 - r0) < k.
   Sources: vector.csv of tests/reference/t13x; RTL-DSP_Unit.vhd and
   RTL-Scratchpad_Memory_Interface.vhd of T13x c2c62163 for the scalar's port and the width of
   writes, equal to the RTL in `gnomon rtl klessydra` (tests/exactness/test_vector_ports.py). */
#include "vcu.h"

/* The write of one beat, from results computed before. */
static void write_beat(const Beats *v, i64 words, i64 beat) {
    const i64 first = beat * v->beat_bytes >> 2;
    if (v->one_lane_bytes) {
        /* Two beats per word. The second one finds no data at its half and writes zero. */
        v->spm[v->d + first] = beat & 1 ? 0 : v->temp[first] & 0xFFFF;
        return;
    }
    const i64 each = v->beat_bytes >> 2, behind = first + each;
    for (i64 k = first; k < least(behind, words); k++)
        v->spm[v->d + k] = v->temp[k];
    if (v->clears)
        for (i64 k = behind; k < least(behind + each, words); k++)
            v->spm[v->d + k] = 0;
}

void vcu_by_beat(const Beats *v) {
    const i64 words = (v->size_bytes + 3) >> 2;
    const i64 beats = (v->size_bytes + v->beat_bytes - 1) / v->beat_bytes;
    const u32 elements = 4 >> v->type; /* of a word */
    u32 scalar = v->scalar;
    i64 written = 0;
    for (i64 k = 0; k < beats; k++) {
        for (; written + v->delay < k; written++)
            write_beat(v, words, written);
        if (v->one_lane_bytes && (k & 1))
            continue;
        if (v->rereads)
            scalar = repeat_scalar((u32)v->spm[v->b], v->type);
        if (v->port == PORT_SHARED && k == 0)
            scalar = 0;
        const bool scalars_line = v->port == PORT_TAKEN || (v->port == PORT_SHARED && k > 0);
        const i64 first = k * v->beat_bytes >> 2;
        const i64 end = least(first + most(v->beat_bytes >> 2, 1), words);
        for (i64 i = first; i < end; i++) {
            i64 place = v->a + i;
            if (scalars_line) {
                /* The lanes are rotated by the vector's address, the banks hold the scalar's
                   line. */
                const i64 lane = (place - v->b) & (v->lanes - 1);
                place = v->pad + ((v->b - v->pad + lane) & (v->pad_words - 1));
            }
            const s32 *const b = v->vector_b ? v->spm + v->b + i : NULL;
            if (v->own)
                v->own((u32)v->type, v->temp + i, v->spm + place, b, elements, scalar, v->c);
            else
                vcu_elements(v->op, v->type, v->temp + i, v->spm + place, b, 1, scalar, v->shift,
                             v->mask_shift);
        }
    }
    for (; written < beats; written++)
        write_beat(v, words, written);
}
