/* The data bus: RAM, the program protocol's registers, everything else.

   Source: reference README, "Program protocol". The loop itself does aligned accesses to data
   RAM; what comes here is the rest. */
#include "engine.h"

#define EXIT_ADDRESS 0x1A10FFF0u
#define PRINT_ADDRESS 0x1A10FFF4u
#define CYCLE_ADDRESS 0x1A10FFF8u

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
    return -1;
}

static int fault(Machine *m, i64 reason, u32 address) {
    m->st->fault = reason;
    m->st->fault_address = address;
    return BUS_FAULT;
}

int read_word(Machine *m, u32 address, i64 cycle, s32 *value) {
    i64 index = ram_word(m, address);
    u32 word = address & ~3u;
    *value = 0;
    if (index >= 0) {
        *value = m->ram[index];
        return BUS_OK;
    }
    if (bus_error(m, address)) return BUS_ERROR;
    if (word == CYCLE_ADDRESS) {
        *value = (s32)(u32)cycle;
        return BUS_OK;
    }
    if (m->cfg->protocol || word == EXIT_ADDRESS || word == PRINT_ADDRESS) return BUS_OK;
    return fault(m, FAULT_LOAD, address);
}

/* An instruction word was written: the loop decodes it before it executes it again. */
static void make_stale(Machine *m, i64 index) {
    i64 old = m->table[index].op;
    if (old == OP_WFI || is_vector(old) || old == OP_ILLEGAL_KDSP || old >= OP_MARKED)
        m->st->rewritten = 1;
    m->table[index].op = OP_STALE;
    m->st->text_writes++;
}

int write_word(Machine *m, u32 address, u32 value, u32 enables, i64 cycle) {
    if (in_swi_hole(m, address)) return BUS_OK;
    i64 index = ram_word(m, address);
    if (index >= 0) {
        u32 mask = 0;
        for (int byte = 0; byte < 4; byte++)
            if (enables >> byte & 1) mask |= 0xFFu << 8 * byte;
        m->ram[index] = (s32)(((u32)m->ram[index] & ~mask) | (value & mask));
        if (index < m->cfg->data_word0) make_stale(m, index);
        return BUS_OK;
    }
    if (bus_error(m, address)) return BUS_ERROR;
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
    if (m->cfg->protocol || word == CYCLE_ADDRESS) return BUS_OK;
    return fault(m, FAULT_STORE, address);
}
