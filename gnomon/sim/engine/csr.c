/* Control and status registers, except those of the vector unit.

   Source: the T13x RTL (tests/reference/t13x/exceptions.csv; lock-step with it); for an ISA-clean
   core the RISC-V privileged specification. */
#include "rare.h"
#include "toggles.h"

#define MCAUSE_MASK 0x8000011Fu
#define MCAUSE_IN_WFI 0x40000000u /* which writes do not change, except csrrw in Morph */
#define MISA_RV32IM 0x40001100u
#define MISA_C 4u
#define CPU_ID 0x100
#define IMPLEMENTATION_ID 0x8000
#define HPM_COUNTERS 0xB00u
#define HPM_COUNTERS_HIGH 0xB80u
#define HPM_EVENTS 0x320u
#define INHIBIT_CYCLES 1u
#define INHIBIT_INSTRUCTIONS 4u

u32 status_value(const Hart *hart) { return (u32)(hart->mie << 3 | hart->mpie << 7 | 0x1800); }

void update_pending(Machine *m, i64 h) {
    const Hart *hart = &m->hs[h];
    if (hart->mie && hart->msip)
        m->st->pending |= (i64)1 << h;
    else
        m->st->pending &= ~((i64)1 << h);
    if (m->cfg->interrupts) plan_interrupt(m);
}

/* Registers whose write is an illegal instruction. */
static bool is_read_only(const Machine *m, u32 address) {
    if (!m->cfg->is_t13) return address >> 10 == 3;
    return address == CSR_MHARTID || address == CSR_MCPUID || address == CSR_MIMPID ||
           address == CSR_MIRQ ||
           (address == CSR_MBADADDR && m->cfg->core.mbadaddr_read_only);
}

/* Whether a register of a page belongs to events: numbers 3 and 6 to 10. */
static bool is_of_event(u32 address, u32 page) {
    const u32 n = address - page;
    return n == 3 || (n >= 6 && n <= 10);
}

static bool is_event_counter(u32 address) { return is_of_event(address, HPM_COUNTERS); }

static bool is_event(u32 address) { return is_of_event(address, HPM_EVENTS); }

/* The bit of an event in PCER. */
static u32 event_bit(u32 address) { return 1u << (address - HPM_EVENTS - 1); }

/* Note an access to a register that the machine does not have and does not trap on. */
static void miss_csr(Machine *m, i64 h) {
    if (!m->st->missing_csrs++) m->st->missing_csr_pc = m->hs[h].pc;
}

static bool read_t13(Machine *m, i64 h, u32 address, u32 *value) {
    switch (address) {
    case CSR_PCER: *value = (u32)m->hs[h].pcer; return true;
    case CSR_MESTATUS: *value = (u32)m->hs[h].mestatus; return true;
    case CSR_MCPUID: *value = m->cfg->is_morph ? 0 : CPU_ID; return true;
    case CSR_MIMPID: *value = IMPLEMENTATION_ID; return true;
    case CSR_MIRQ: *value = 0; return true;
    }
    if (m->cfg->core.unknown_csr_reads_zero &&
        (address == CSR_MVSIZE || address == CSR_MVTYPE || address == CSR_MPSCLFAC)) {
        miss_csr(m, h);
        *value = (u32)m->hs[h].csr_read; /* without a vector unit there is no answer */
        return true;
    }
    if (is_event(address)) {
        *value = (u32)m->hs[h].events & event_bit(address);
        return true;
    }
    if (!is_event_counter(address)) return false;
    *value = read_event_counter(m, h, address);
    return true;
}

/* Whether a register of a page has a number 3 to 31. */
static bool is_numbered(u32 address, u32 page) { return address - page >= 3 && address - page < 32; }

/* mcountinhibit: the stopped counters; without event counters, which never count. */
static u32 inhibited(const Machine *m, i64 h) {
    const u32 counting = (u32)m->hs[h].pcer;
    return (counting & 1 ? 0 : INHIBIT_CYCLES) | (counting & 2 ? 0 : INHIBIT_INSTRUCTIONS);
}

static bool read_clean(const Machine *m, i64 h, u32 address, u32 *value) {
    switch (address) {
    case CSR_MSCRATCH: *value = (u32)m->hs[h].mscratch; return true;
    case CSR_MIE: *value = (u32)m->hs[h].mie_register; return true;
    case CSR_MISA: *value = MISA_RV32IM | (m->cfg->ishift == 1 ? MISA_C : 0); return true;
    case CSR_CYCLE: *value = (u32)read_mcycle(m, h); return true;
    case CSR_CYCLEH: *value = (u32)(read_mcycle(m, h) >> 32); return true;
    case CSR_INSTRET: *value = (u32)read_minstret(m, h); return true;
    case CSR_INSTRETH: *value = (u32)(read_minstret(m, h) >> 32); return true;
    case CSR_MCOUNTINHIBIT: *value = inhibited(m, h); return true;
    case CSR_MSTATUSH:
    case CSR_MCONFIGPTR:
    case CSR_MVENDORID:
    case CSR_MARCHID:
    case CSR_MIMPID_CLEAN: *value = 0; return true;
    }
    /* Event counters exist but do not count (privileged specification, 3.1.10). */
    *value = 0;
    return is_numbered(address, HPM_EVENTS) || is_numbered(address, HPM_COUNTERS) ||
           is_numbered(address, HPM_COUNTERS_HIGH);
}

/* The high half of minstret as the T13 stores it: one higher than both halves read. */
static u32 stored_minstreth(const Machine *m, i64 h) {
    return (u32)(((u64)read_minstret(m, h) + 1) >> 32);
}

/* The T13 subtracts the one from the high half, too, except from a high half of 0. */
static u32 shown_minstreth(const Machine *m, i64 h) {
    if (m->cfg->is_t13 && stored_minstreth(m, h) == 0) return 0;
    return (u32)((u64)read_minstret(m, h) >> 32);
}

/* False if the machine has no such register and traps. */
static bool read_csr(Machine *m, i64 h, u32 address, u32 *value) {
    const Hart *hart = &m->hs[h];
    switch (address) {
    case CSR_MSTATUS: *value = status_value(hart); return true;
    case CSR_MTVEC: *value = (u32)hart->mtvec; return true;
    case CSR_MEPC: *value = (u32)hart->mepc; return true;
    case CSR_MCAUSE: *value = (u32)hart->mcause; return true;
    case CSR_MBADADDR: *value = (u32)hart->mbadaddr; return true;
    case CSR_MIP:
        *value = (u32)hart->msip << 3 | pending_interrupts(m, m->st->cycle);
        return true;
    case CSR_MHARTID: *value = (u32)h; return true;
    case CSR_MCYCLE: *value = (u32)read_mcycle(m, h); return true;
    case CSR_MCYCLEH: *value = (u32)(read_mcycle(m, h) >> 32); return true;
    case CSR_MINSTRET: *value = (u32)read_minstret(m, h); return true;
    case CSR_MINSTRETH: *value = shown_minstreth(m, h); return true;
    }
    if (m->cfg->is_t13 ? read_t13(m, h, address, value) : read_clean(m, h, address, value))
        return true;
    *value = 0;
    if (!m->cfg->core.unknown_csr_reads_zero) return false;
    miss_csr(m, h);
    return true;
}

static bool write_counter(Machine *m, i64 h, u32 address, u32 value) {
    const u64 high = (u64)value << 32, cycles = (u64)read_mcycle(m, h);
    const u64 issues = (u64)read_minstret(m, h) + m->cfg->is_t13; /* as stored */
    switch (address) {
    case CSR_MCYCLE: write_mcycle(m, h, (i64)(cycles >> 32 << 32 | value)); return true;
    case CSR_MCYCLEH: write_mcycle(m, h, (i64)(high | (u32)cycles)); return true;
    case CSR_MINSTRET: write_minstret(m, h, (i64)(issues >> 32 << 32 | value)); return true;
    case CSR_MINSTRETH: write_minstret(m, h, (i64)(high | (u32)issues)); return true;
    }
    return false;
}

/* An event is a copy of its bit in PCER. Bits written or set here also change there; bits
   cleared here do not. */
static void write_event(Machine *m, i64 h, const Entry *e, u32 bit) {
    if (!m->cfg->core.mhpmevent_bits) return;
    Hart *hart = &m->hs[h];
    const u32 *x = registers(m, h), event = (u32)hart->events, pcer = (u32)hart->pcer;
    const u32 written = (event & ~bit) | (csr_written(e, event, x) & bit);
    write_pcer(m, h, csr_clears(e->op) ? pcer : (pcer & ~bit) | (csr_written(e, pcer, x) & bit));
    hart->events = written;
}

/* Writes to registers that cannot be written are ignored, as in the machine. */
static void write_csr(Machine *m, i64 h, u32 address, u32 value, bool plain) {
    Hart *hart = &m->hs[h];
    const u32 cause = MCAUSE_MASK | (plain && m->cfg->is_morph ? MCAUSE_IN_WFI : 0);
    const bool t13 = m->cfg->is_t13;
    const u32 address_bits = m->cfg->core.fetch_ignores_alignment ? ~0u : ~3u;
    const u32 vector_bits = m->cfg->vectored ? ~2u : address_bits;
    const u32 return_bits = m->cfg->ishift == 2 ? address_bits : ~1u;
    if (write_counter(m, h, address, value)) return;
    switch (address) {
    case CSR_MSTATUS:
        hart->mie = value >> 3 & 1;
        hart->mpie = value >> 7 & 1;
        update_pending(m, h);
        return;
    case CSR_MTVEC: hart->mtvec = value & vector_bits; return;
    case CSR_MEPC: hart->mepc = value & return_bits; return;
    case CSR_MCAUSE:
        hart->mcause = t13 ? ((u32)hart->mcause & ~cause) | (value & cause) : value;
        return;
    }
    if (t13) {
        if (is_event_counter(address)) {
            write_event_counter(m, h, address, value);
            return;
        }
        switch (address) {
        case CSR_MIP:
            hart->msip = value >> 3 & 1;
            update_pending(m, h);
            return;
        case CSR_PCER: write_pcer(m, h, value); return;
        case CSR_MESTATUS:
            hart->mestatus = m->cfg->core.mestatus_writes_bit_0
                                 ? ((u32)hart->mestatus & ~1u) | (value & 1) : value;
            return;
        }
        return;
    }
    switch (address) {
    case CSR_MBADADDR: hart->mbadaddr = value; return;
    case CSR_MSCRATCH: hart->mscratch = value; return;
    case CSR_MIE:
        hart->mie_register = value & 0x888;
        update_pending(m, h);
        return;
    case CSR_MCOUNTINHIBIT:
        write_pcer(m, h, (value & INHIBIT_CYCLES ? 0 : 1) | (value & INHIBIT_INSTRUCTIONS ? 0 : 2));
        return;
    }
}

bool csr_access(Machine *m, i64 h, const Entry *e) {
    u32 *x = registers(m, h);
    const u32 address = (u32)e->imm & 0xFFF;
    m->st->swi_target = h; /* even if it is denied: the RTL remembers the access */
    const bool writes = csr_writes(e);
    u32 old;
    if (writes && is_read_only(m, address)) return false;
    if (!read_csr(m, h, address, &old)) return false;
    if (writes && m->cfg->is_t13 && is_event(address)) {
        write_event(m, h, e, event_bit(address));
    } else if (writes) {
        /* Set and clear forms act on the stored value, which may not be the one read. */
        u32 stored = old;
        if (m->cfg->is_t13 && address == CSR_MINSTRET)
            stored = (u32)(read_minstret(m, h) + 1);
        else if (m->cfg->is_t13 && address == CSR_MINSTRETH)
            stored = stored_minstreth(m, h);
        const bool plain = e->op == OP_CSRRW || e->op == OP_CSRRWI;
        write_csr(m, h, address, csr_written(e, stored, x), plain);
    }
    x[e->rd] = old;
    if (m->toggles) see_result(m, m->st->seen, e, old);
    m->hs[h].csr_read = old;
    return true;
}
