/* Transfers between memory and scratchpads: kmemld, kmemstr, kbcastld.

   Source: the T13x RTL (1164 rows of tests/reference/t13x/kmem.csv). No load, store or other
   transfer can run while one is in flight, so moving the data at issue is exact. */
#include "toggles.h"

#define TRAP_LOAD_MISALIGNED 4
#define TRAP_STORE_MISALIGNED 6

typedef struct Transfer {
    i64 h;
    i64 cycle;
    u32 address; /* in memory */
    Speed speed; /* there */
    i64 size_bytes;
    i64 words;
    i64 row;    /* first word, within the scratchpads of an accelerator */
    i64 stride; /* words of the scratchpads of an accelerator */
    i64 place;  /* of the first word in its scratchpad */
    i64 mask;   /* words of a scratchpad - 1 */
    bool wraps; /* continues at the start of the scratchpad (quirk), and so writes all of it */
    i64 unit;   /* the first participating accelerator, and the last one */
    i64 last_unit;
    bool plain; /* all words in data memory, none a device register or an instruction, no wrap */
} Transfer;

/* Position of word k, relative to the row of the first one. */
static i64 nth(const Transfer *t, i64 k) { return ((t->place + k) & t->mask) - t->place; }

static bool is_plain(const Machine *m, u32 address, i64 words) {
    const Config *cfg = m->cfg;
    const i64 offset = (u32)(address - (u32)cfg->dbase);
    return offset + 4 * words <= cfg->dsize &&
           (address > SWI_LAST || (i64)address + 4 * words <= (i64)SWI_FIRST);
}

/* A store has a request every other cycle, a load has one too many. */
static void record_requests(Machine *m, const Transfer *t, bool store) {
    const s32 *spm = m->spm + t->unit * t->stride + t->row;
    for (i64 k = 0; k < accesses_of(&t->speed, t->words) + !store; k++) {
        const i64 word = k * t->speed.access_words;
        m->bus[m->st->bus_rows++] = (BusRow){
            .cycle = t->cycle + access_cycle(&t->speed, k, store), .enables = store ? 15 : 0,
            .address = t->address + 4 * (u32)word, .data = store ? (u32)spm[nth(t, word)] : 0,
        };
    }
}

/* Every word individually, however many an access has; without the extra request of a load. */
static void see_words(Machine *m, const Transfer *t, bool store) {
    const i64 index = m->st->seen;
    for (i64 k = 0; k < t->words; k++) {
        const u32 address = t->address + 4 * (u32)k;
        const i64 place = t->row + nth(t, k), in_ram = ram_word(m, address);
        const u32 held = (u32)m->spm[t->unit * t->stride + place];
        const u32 moved = store || in_ram < 0 ? held : (u32)m->ram[in_ram];
        /* A wrapping transfer writes several words to one place, which keeps the last. */
        const u32 kept = k + t->mask + 1 < t->words ? moved : held;
        if (store)
            see_store(m, index, address, moved);
        else
            see_load(m, index, address, moved);
        for (i64 unit = t->unit; unit <= t->last_unit; unit++)
            see_pad_of(m, index, unit * t->stride + place, kept, !store);
    }
}

/* Both return the last busy cycle, or -1 with the fault. */
static i64 store_words(Machine *m, const Transfer *t) {
    const i64 row = t->unit * t->stride + t->row;
    const s32 *spm = m->spm + row;
    pads_read(m, t->wraps ? row - t->place : row, t->wraps ? t->mask + 1 : t->words);
    if (t->plain) {
        memcpy(m->ram + ram_word(m, t->address), spm, 4 * (size_t)t->words);
    } else {
        for (i64 k = 0; k < t->words; k++)
            if (transfer_word(m, t->address + 4 * (u32)k, (u32)spm[nth(t, k)],
                              t->cycle + access_cycle(&t->speed, k / t->speed.access_words, true)) ==
                BUS_FAULT)
                return -1;
    }
    m->st->bus_requests += accesses_of(&t->speed, t->words);
    return t->cycle + transfer_cycles(&t->speed, t->words, true);
}

/* Words into the first accelerator's scratchpads; false: a fault. */
static bool read_words(Machine *m, const Transfer *t, s32 *spm) {
    if (t->plain) {
        memcpy(spm, m->ram + ram_word(m, t->address), 4 * (size_t)t->words);
        return true;
    }
    for (i64 k = 0; k < t->words; k++) {
        s32 word = 0;
        const i64 cycle = t->cycle + access_cycle(&t->speed, k / t->speed.access_words, false);
        if (read_word(m, t->address + 4 * (u32)k, 15, cycle, &word) == BUS_FAULT)
            return false;
        spm[nth(t, k)] = word;
    }
    return true;
}

static i64 load_words(Machine *m, const Transfer *t) {
    State *st = m->st;
    s32 *const spm = m->spm + t->unit * t->stride + t->row;
    if (!read_words(m, t, spm))
        return -1;
    s32 *const last = &spm[nth(t, t->words - 1)];
    if (t->size_bytes & 3 && m->cfg->vcu.kmemld_partial_word_repeats) {
        /* Upper bytes of a last partial word repeat those of the word before. */
        if (t->words == 1)
            st->warnings |= WARN_PARTIAL_WORD;
        const u32 before = (u32)(t->words == 1 ? (s32)st->lsu_word : spm[nth(t, t->words - 2)]);
        const u32 mask = (1u << 8 * (t->size_bytes & 3)) - 1;
        *last = (s32)(((u32)*last & mask) | (before & ~mask));
    }
    const i64 from = t->wraps ? -t->place : 0, words = t->wraps ? t->mask + 1 : t->words;
    for (i64 unit = t->unit; unit <= t->last_unit; unit++)
        pads_written(m, unit * t->stride + t->row + from, words);
    for (i64 unit = t->unit + 1; unit <= t->last_unit; unit++)
        memcpy(m->spm + unit * t->stride + t->row + from, spm + from, 4 * (size_t)words);
    st->lsu_word = *last;
    st->bus_requests += accesses_of(&t->speed, t->words) + 1;
    return t->cycle + transfer_cycles(&t->speed, t->words, false);
}

/* Participating accelerators, as a mask; a broadcast reaches the scratchpads of all. */
static i64 choose_units(Machine *m, Transfer *t, i64 o) {
    const Config *cfg = m->cfg;
    t->unit = t->last_unit = unit_of(m, t->h);
    if (o != OP_KBCASTLD || cfg->sharing == SHARED)
        return INT64_C(1) << t->unit;
    t->unit = 0;
    t->last_unit = cfg->harts - 1;
    for (i64 other = 0; other < cfg->harts; other++)
        if (m->st->vcu_last[other] >= t->cycle)
            m->st->warnings |= WARN_BROADCAST_OVERLAP;
    return (INT64_C(1) << cfg->harts) - 1;
}

i64 transfer_issue(Machine *m, i64 h, i64 o, u32 rd, u32 rs1, u32 rs2, i64 cycle) {
    const Config *cfg = m->cfg;
    State *st = m->st;
    const i64 size = cfg->spm_size, n = rs2 & (u32)(2 * size - 1);
    if (n != rs2)
        st->warnings |= WARN_LENGTH;
    if (n == 0)
        return 0;
    const bool store = o == OP_KMEMSTR;
    const u32 local = store ? rs1 : rd;
    Transfer t = {.h = h, .cycle = cycle, .address = store ? rd : rs1, .size_bytes = n};
    const i64 pad = scratchpad(m, local);
    if (pad == -1)
        return TRAP_NOT_SPM;
    if (pad < 0) {
        st->fault = FAULT_SPM;
        st->fault_address = local;
        return -1;
    }
    if (t.address & 3)
        return store ? TRAP_STORE_MISALIGNED : TRAP_LOAD_MISALIGNED;
    const i64 offset = (local - (u32)cfg->spm_base) & (u32)(size - 1);
    /* The RTL adds only the low bits of n - 1 (RTL-Load_Store_Unit.vhd, add_op_B). */
    t.wraps = n > size && cfg->vcu.long_transfer_wraps;
    if (offset + (t.wraps ? n - size : n) > size)
        return TRAP_OVERRUN;
    if (t.wraps)
        st->warnings |= WARN_LONG_TRANSFER;
    t.place = offset >> 2;
    t.mask = (size >> 2) - 1;
    t.words = (n + 3) >> 2;
    t.row = pad * (size >> 2) + (offset >> 2);
    t.stride = cfg->spm_count * (size >> 2);
    t.plain = !t.wraps && is_plain(m, t.address, t.words);
    t.speed = speed_at(m, t.address);
    const Speed end = speed_at(m, t.address + 4 * (u32)(t.words - 1));
    if (memcmp(&t.speed, &end, sizeof end)) {
        st->fault = FAULT_TWO_REGIONS;
        st->fault_address = t.address;
        return -1;
    }
    const i64 units = choose_units(m, &t, o);
    if (t.last_unit * t.stride + t.row + (t.wraps ? 1 : t.words) > m->spm_words) {
        st->fault = FAULT_SPM;
        st->fault_address = local;
        return -1;
    }
    const i64 last = store ? store_words(m, &t) : load_words(m, &t);
    if (last < 0)
        return -1;
    if (cfg->bus)
        record_requests(m, &t, store);
    if (m->toggles)
        see_words(m, &t, store);
    st->lsu_last = last;
    st->transfer_last = last;
    note_transfer(m, cycle, last, store);
    st->transfer_spm = pad;
    st->transfer_units = units;
    VectorStat *stat = &m->vstat[h * INSTRUCTION_COUNT + o];
    stat->issued++;
    stat->beats += t.words;
    stat->bytes += n;
    stat->busy += last - cycle + 1;
    return 0;
}
