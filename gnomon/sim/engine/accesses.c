/* Loads, stores and swaps anywhere: outside data RAM, misaligned, rejected.
   Each returns 0, the cause of its trap, or -1 for a fault. */
#include "engine.h"

static i64 size_of(i64 o) {
    if (o == OP_LW || o == OP_SW) return 4;
    return o == OP_LH || o == OP_LHU || o == OP_SH ? 2 : 1;
}

static bool is_misaligned(i64 o, u32 address) { return address & (size_of(o) - 1); }

/* A misaligned access that needs two words. */
bool crosses_word(i64 o, u32 address) { return (address & 3) + size_of(o) > 4; }

i64 load_step(Machine *m, i64 o, u32 *target, u32 address, i64 cycle) {
    if (is_misaligned(o, address) && !m->cfg->split) return 4;
    s32 word;
    const u32 bytes = ((1u << size_of(o)) - 1) << (address & 3);
    int status = read_word(m, address, bytes & 15, cycle, &word);
    if (status != BUS_OK) return status == BUS_ERROR ? 5 : -1;
    u32 shift = 8 * (address & 3);
    u32 value = (u32)word >> shift;
    if (crosses_word(o, address)) {
        status = read_word(m, (address | 3) + 1, bytes >> 4, cycle, &word);
        if (status != BUS_OK) return status == BUS_ERROR ? 5 : -1;
        value |= (u32)word << (32 - shift);
    }
    switch (o) {
    case OP_LB: value = (u32)(s32)(int8_t)value; break;
    case OP_LBU: value = (u8)value; break;
    case OP_LH: value = (u32)(s32)(int16_t)value; break;
    case OP_LHU: value = (uint16_t)value; break;
    }
    *target = value;
    return 0;
}

i64 store_step(Machine *m, i64 o, u32 address, u32 value, i64 cycle) {
    if (is_misaligned(o, address) && !m->cfg->split) return 6;
    if (is_silent(m, address)) return 0;
    u32 lane = address & 3;
    u32 enables = ((1u << size_of(o)) - 1) << lane;
    u64 lanes = (u64)value << 8 * lane;
    int status = write_word(m, address, (u32)lanes, enables & 15, cycle);
    if (status == BUS_OK && enables > 15)
        status = write_word(m, (address | 3) + 1, (u32)(lanes >> 32), enables >> 4, cycle);
    if (status != BUS_OK) return status == BUS_ERROR ? 7 : -1;
    return 0;
}

/* Swap. Nothing comes between its read and its write: the core stalls for both (core_busy_LS),
   and a transfer has ended before. Source: T13x RTL, RTL-Load_Store_Unit.vhd. */
i64 amo_step(Machine *m, u32 *target, bool discard, u32 address, u32 value, u32 enables,
             i64 first, i64 last) {
    if (address & 3) return discard ? 6 : 4;
    s32 old;
    int status = read_word(m, address, 15, first, &old);
    if (status == BUS_FAULT) return -1;
    if (status == BUS_ERROR) return discard ? 7 : 5;
    if (write_word(m, address, value, enables, last) == BUS_FAULT) return -1;
    *target = (u32)old;
    return 0;
}
