/* Toggles of scratchpads and lanes. */
#include "toggles.h"

/* Each scratchpad has a bank, with a read and a write port, for every lane. */
void see_pad_of(Machine *m, i64 index, i64 word, u32 value, bool written) {
    const i64 each = m->cfg->spm_size >> 2, simd = m->cfg->simd;
    const i64 port = 2 * (word / each) + written, bank = word % each % simd;
    put(&m->toggles[index], written ? BUS_SCRATCHPAD_WRITE : BUS_SCRATCHPAD_READ,
        &m->pad_buses[port * simd + bank], value);
}
void see_pad(Machine *m, i64 index, i64 word, bool written) {
    see_pad_of(m, index, word, (u32)m->spm[word], written);
}

void see_lanes(Machine *m, i64 index, i64 o, i64 unit, i64 a, i64 b, i64 words, u32 scalar,
               i64 at_scalar) {
    Toggles *const t = &m->toggles[index];
    const i64 simd = m->cfg->simd;
    u32 *const lanes = m->lane_buses + 2 * unit * simd;
    if (at_scalar >= 0) see_pad(m, index, at_scalar, false);
    for (i64 k = 0; k < words; k++) {
        u32 *const lane = lanes + k % simd;
        if (a >= 0) see_pad(m, index, a + k, false);
        put(t, BUS_LANE_A, lane, a >= 0 ? (u32)m->spm[a + k] : scalar);
        if (b >= 0) see_pad(m, index, b + k, false);
        if (b >= 0 || READS[o] & READS_SCALAR)
            put(t, BUS_LANE_B, lane + simd, b >= 0 ? (u32)m->spm[b + k] : scalar);
    }
}
