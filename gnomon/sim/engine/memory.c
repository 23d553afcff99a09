/* The data bus: RAM, the program protocol's registers, everything else.

   Source: reference README, "Program protocol". The loop itself executes aligned accesses to
   data RAM; this file has the others. */
#include "engine.h"

#define EXIT_ADDRESS 0x1A10FFF0u
#define PRINT_ADDRESS 0x1A10FFF4u
#define CYCLE_ADDRESS 0x1A10FFF8u
#define CONSOLE_ADDRESS 0x1A10FFFCu
#define CONSOLE_ROW ((i64)1 << 32) /* of a printed row: a character, not a word */

/* Addresses that answer with an error under the program protocol. */
static bool bus_error(const Machine *m, u32 address) {
    return m->cfg->protocol && address >> 16 == 0xDEAD;
}

/* The software-interrupt registers hide the RAM below from writes. */
bool in_swi_hole(const Machine *m, u32 address) {
    return m->cfg->is_t13 && address >= SWI_FIRST && address <= SWI_LAST;
}

i64 ram_word(const Machine *m, u32 address) {
    u32 offset = address - (u32)m->cfg->dbase;
    if (offset < m->cfg->dsize) return m->cfg->data_word0 + (offset >> 2);
    offset = address - (u32)m->cfg->ibase;
    if (offset < m->cfg->isize) return offset >> 2;
    const Window *const w = window_at(m, address);
    return w ? w->word0 + ((address - (u32)w->base) >> 2) : -1;
}

/* Whether an address is in the data memory; a machine without regions has the same speed
   everywhere. */
static bool has_usual_speed(const Machine *m, u32 address) {
    return !m->window_count || address - (u32)m->cfg->dbase < m->cfg->dsize;
}

i64 more_waits(const Machine *m, u32 address) {
    const Device *const d = m->device_count ? device_at(m, address) : NULL;
    if (d && d->waits >= 0) return d->waits - m->cfg->data_waits;
    if (has_usual_speed(m, address)) return 0;
    const Window *const w = window_at(m, address);
    return w ? w->more : m->cfg->elsewhere;
}

Speed speed_at(const Machine *m, u32 address) {
    const Config *const cfg = m->cfg;
    if (has_usual_speed(m, address)) return usual_speed(cfg);
    const Window *const w = window_at(m, address);
    if (!w) return (Speed){cfg->data_waits + cfg->elsewhere, 1, 1};
    return (Speed){cfg->data_waits + w->more, w->access_words, w->burst};
}

static int fault(Machine *m, i64 reason, u32 address) {
    m->st->fault = reason;
    m->st->fault_address = address;
    return BUS_FAULT;
}

bool is_late(const Machine *m, i64 index) {
    for (i64 k = 0; k < m->st->late; k++)
        if (m->st->late_index[k] == index) return true;
    return false;
}

/* A word as the data bus sees it, regardless of earlier fetches. */
static s32 newest(const Machine *m, i64 index) {
    for (i64 k = m->st->late - 1; k >= 0; k--)
        if (m->st->late_index[k] == index) return (s32)(u32)m->st->late_value[k];
    return m->ram[index];
}

int read_word(Machine *m, u32 address, u32 enables, i64 cycle, s32 *value) {
    i64 index = ram_word(m, address);
    u32 word = address & ~3u;
    *value = 0;
    m->st->bus_read = 0;
    if (m->st->due <= cycle) run_masters(m, cycle);
    if (index >= 0) {
        *value = newest(m, index);
        m->st->bus_read = (u32)*value;
        return BUS_OK;
    }
    if (bus_error(m, address)) return BUS_ERROR;
    Device *const d = device_at(m, address);
    if (d) {
        m->st->bus_read = read_device(m, d, address, enables, cycle);
        *value = (s32)(u32)m->st->bus_read;
        return m->st->fault ? BUS_FAULT : BUS_OK;
    }
    if (word == CYCLE_ADDRESS) {
        *value = (s32)(u32)cycle;
        m->st->bus_read = (u32)cycle;
        return BUS_OK;
    }
    if (word == EXIT_ADDRESS || word == PRINT_ADDRESS || word == CONSOLE_ADDRESS) return BUS_OK;
    if (!m->cfg->protocol) return fault(m, FAULT_LOAD, address);
    if (!m->st->unmapped_loads++) m->st->unmapped_load = address;
    return BUS_OK;
}

u32 instruction_at(const Machine *m, i64 index) {
    if (m->cfg->ishift == 2) return (u32)m->ram[index];
    const i64 word = index >> 1;
    const u32 low = (u32)m->ram[word], high = word + 1 < m->words >> 1 ? (u32)m->ram[word + 1] : 0;
    const u32 both = index & 1 ? low >> 16 | high << 16 : low;
    return (both & 3) == 3 ? both : both & 0xFFFF;
}

static void make_entry_stale(Machine *m, i64 index) {
    i64 old = m->table[index].op;
    if (old == OP_WFI || is_vector(old) || old == OP_ILLEGAL_KDSP || old >= OP_MARKED)
        m->st->rewritten = 1;
    m->table[index].op = OP_STALE;
}

/* An instruction word was written: the loop decodes it before it executes it again. With RV32C it
   has two halfwords, and an instruction may begin in the one before. */
static void make_stale(Machine *m, i64 word) {
    m->st->text_writes++;
    if (m->cfg->ishift == 2) {
        make_entry_stale(m, word);
        return;
    }
    for (i64 index = most(2 * word - 1, 0); index <= 2 * word + 1; index++)
        make_entry_stale(m, index);
}

/* Instruction words reach the memory after earlier fetches. */
static void write_late(Machine *m, i64 index, s32 value, i64 cycle) {
    State *st = m->st;
    const i64 k = st->late++;
    st->late_index[k] = index;
    st->late_value[k] = (u32)value;
    st->late_cycle[k] = cycle;
}

void finish_writes(Machine *m, i64 fetched) {
    State *st = m->st;
    i64 kept = 0;
    for (i64 k = 0; k < st->late; k++) {
        const i64 index = st->late_index[k];
        if (st->late_cycle[k] >= fetched) {
            st->late_index[kept] = index;
            st->late_value[kept] = st->late_value[k];
            st->late_cycle[kept++] = st->late_cycle[k];
            continue;
        }
        m->ram[index] = (s32)(u32)st->late_value[k];
        make_stale(m, index);
    }
    st->late = kept;
}

/* Write an instruction word now: also for a write that is still pending. */
static void write_now(Machine *m, i64 index, s32 word) {
    for (i64 k = 0; k < m->st->late; k++)
        if (m->st->late_index[k] == index) m->st->late_value[k] = (u32)word;
    m->ram[index] = word;
    make_stale(m, index);
}

void print_character(Machine *m, u32 value) {
    State *const st = m->st;
    if (st->printed < m->printed_rows) m->printed[st->printed++] = CONSOLE_ROW | (value & 0xFF);
}

static int put_word(Machine *m, u32 address, u32 value, u32 enables, i64 cycle, bool late) {
    if (in_swi_hole(m, address)) return BUS_OK;
    i64 index = ram_word(m, address);
    if (m->st->due <= cycle) run_masters(m, cycle);
    if (index >= 0) {
        const Window *const w = m->window_count ? window_at(m, address) : NULL;
        if (w && w->kind == WINDOW_READ_ONLY) return fault(m, FAULT_READ_ONLY, address);
        u32 mask = 0;
        for (int byte = 0; byte < 4; byte++)
            if (enables >> byte & 1) mask |= 0xFFu << 8 * byte;
        const s32 word = (s32)(((u32)newest(m, index) & ~mask) | (value & mask));
        if (index >= m->cfg->data_word0)
            m->ram[index] = word;
        else if (late && m->st->late < LATE_WORDS)
            write_late(m, index, word, cycle);
        else
            write_now(m, index, word);
        if (m->cfg->tohost && index == m->cfg->tohost) ask_host(m, cycle);
        return BUS_OK;
    }
    if (bus_error(m, address)) return BUS_ERROR;
    Device *const d = device_at(m, address);
    if (d) {
        write_device(m, d, address, value, enables, cycle);
        return m->st->fault ? BUS_FAULT : BUS_OK;
    }
    u32 word = address & ~3u;
    State *st = m->st;
    if (word == EXIT_ADDRESS) {
        if (st->exit_cycle < 0) {
            st->exit_cycle = cycle;
            st->exit_code = value;
        }
        return BUS_OK;
    }
    if (word == PRINT_ADDRESS) {
        if (st->printed < m->printed_rows) m->printed[st->printed++] = value;
        return BUS_OK;
    }
    if (word == CONSOLE_ADDRESS) {
        if (enables & 1) print_character(m, value);
        return BUS_OK;
    }
    if (word == CYCLE_ADDRESS) return BUS_OK;
    if (!m->cfg->protocol) return fault(m, FAULT_STORE, address);
    if (!st->unmapped_stores++) st->unmapped_store = address;
    return BUS_OK;
}

int write_word(Machine *m, u32 address, u32 value, u32 enables, i64 cycle) {
    return put_word(m, address, value, enables, cycle, m->cfg->core.fetched_before_store);
}

int transfer_word(Machine *m, u32 address, u32 value, i64 cycle) {
    if (m->cfg->core.fetched_before_store && (u32)(address - (u32)m->cfg->ibase) < m->cfg->isize)
        m->st->warnings |= WARN_CODE_TRANSFER;
    return put_word(m, address, value, 15, cycle, false);
}
