/* Rare operations: traps, interrupts, sleep and waking, most CSR accesses.

   slow.c has accounted for stalls and has put issue cycle, extra cycles and next pc in the state.
   The functions here change the differing parts.
   Source: the T13x RTL (tests/reference/t13x/exceptions.csv; random programs under interrupts in
   lock-step with it, `gnomon rtl klessydra`). */
#include "rare.h"

#define REPEATS_ALLOWED 64 /* the same trap at the same pc without an mret in between */
#define SWI_EXTRA_CYCLES 2
#define MCAUSE_INTERRUPT ((i64)1 << 31)

static i64 redirect_cycles(const Machine *m) { return m->cfg->fetch + m->cfg->redirect; }

static i64 stop_with(Machine *m, i64 fault, u32 address) {
    m->st->fault = fault;
    m->st->fault_address = address;
    return STOP_FAULT;
}

/* For each hart, find the next one that is awake, and the parked slots before it. */
void link_harts(Machine *m) {
    const i64 harts = m->cfg->harts;
    for (i64 h = 0; h < harts; h++) {
        i64 gap = 0, k = (h - 1 + harts) % harts;
        while (k != h && m->hs[k].parked) {
            gap++;
            k = (k - 1 + harts) % harts;
        }
        m->hs[h].next = k;
        m->hs[h].gap = gap;
    }
}

/* Count the slots a parked hart has used so far: each is a wfi without effect.
   slots_before is 1 while an instruction executes that the engine has not counted yet. */
static void book_parked(Machine *m, i64 k, i64 slots_before) {
    m->st->slots += slots_before;
    i64 slots = engine_issued(m, k) - m->hs[k].park_issued;
    m->st->slots -= slots_before;
    i64 index = entry_index(m, (u32)m->hs[k].pc);
    m->hs[k].park_issued += slots;
    m->acct[k].parked += slots;
    m->acct[k].issue[CLASS_SYSTEM] -= slots;
    count_issues(m, k, index, 1, slots);
    dynamic(m, k, index)->parked += slots;
}

void engine_settle(Machine *m) {
    for (i64 h = 0; h < m->cfg->harts; h++)
        if (m->hs[h].parked) book_parked(m, h, 0);
}

void wake_slots(Machine *m, i64 slots_before) {
    for (i64 k = 0; k < m->cfg->harts; k++) {
        if (!m->hs[k].parked) continue;
        book_parked(m, k, slots_before);
        m->hs[k].parked = 0;
        m->hs[k].stuck = 1;
    }
    link_harts(m);
    m->st->several = m->hs[m->st->hart].next != m->st->hart;
}

void engine_wake_slots(Machine *m) { wake_slots(m, 0); }

/* A hart that repeats an instruction continues if another one overwrites it.
   slots_before: as in book_parked. */
void wake_rewritten(Machine *m, i64 slots_before) {
    m->st->rewritten = 0;
    for (i64 k = 0; k < m->cfg->harts; k++) {
        Hart *hart = &m->hs[k];
        if (!hart->parked && !hart->stuck) continue;
        const i64 index = entry_index(m, (u32)hart->pc);
        if (m->table[index].op != OP_STALE && !is_late(m, index)) continue;
        if (hart->parked) book_parked(m, k, slots_before);
        hart->parked = hart->stuck = 0;
    }
    link_harts(m);
}

/* Account for an issue as a trap or as a parked slot, with its extra cycles, instead of its static
   class. The loop counts issues per word; their class and static cycles are added at the end. */
static void rebook(Machine *m, i64 h, i64 index, bool trap, i64 extra) {
    const Entry *e = &m->decoded[index];
    Account *account = &m->acct[h];
    Dynamic *spot = dynamic(m, h, index);
    const i64 static_fetch = e->fetch;
    /* The wait for the next instruction is that of an in-order core, and is counted as such. */
    const i64 fetch = redirect_cycles(m);
    account->issue[CLASS_OF[e->op]]--;
    account->wait_fetch += fetch - static_fetch;
    book_execute(m, h, index, static_fetch - e->extra);
    spot->wait_fetch += fetch - static_fetch;
    if (trap) {
        account->trap += 1 + extra - fetch;
        spot->trapped++;
        spot->trap += extra - fetch;
    } else {
        account->parked += 1 + extra - fetch;
        spot->parked += 1 + extra - fetch;
    }
}

/* Wait states of the access at the address in st->value. */
static i64 granted_after(const Machine *m) {
    return m->cfg->data_waits + more_waits(m, (u32)m->st->value);
}

/* Address of the handler of exceptions. */
static u32 trap_vector(const Machine *m, i64 h) {
    const u32 mtvec = (u32)m->hs[h].mtvec;
    return m->cfg->vectored ? mtvec & ~3u : mtvec;
}

/* Redirect a hart to a handler, if there is one and it makes progress. Only then the trap is
   counted: one that ends the run does not count as executed. */
static i64 enter_handler(Machine *m, i64 h, u32 pc, u32 handler, i64 extra) {
    State *st = m->st;
    Hart *hart = &m->hs[h];
    const i64 goal = entry_index(m, handler);
    hart->stuck = 0;
    if (goal >= m->words || m->decoded[goal].op == OP_ILLEGAL)
        return stop_with(m, FAULT_NO_HANDLER, handler);
    if (hart->trap_pc == pc && hart->trap_cause == hart->mcause) {
        if (++hart->trap_repeats > REPEATS_ALLOWED) return stop_with(m, FAULT_TRAP_LOOP, pc);
    } else {
        hart->trap_pc = pc;
        hart->trap_cause = hart->mcause;
        hart->trap_repeats = 1;
    }
    const i64 index = entry_index(m, pc);
    hart->trap_depth++;
    hart->trap_slots = engine_issued(m, h) + 1;
    rebook(m, h, index, true, extra);
    st->text_first = least(st->text_first, index);
    st->text_end = most(st->text_end, index + 1);
    st->busy = extra;
    st->trap_end = st->cycle + extra + 1;
    st->next_pc = handler;
    st->watch = CALL_TRAP;
    return 0;
}

static void save_status(const Machine *m, Hart *hart) {
    const u32 kept = m->cfg->core.mestatus_writes_bit_0 ? (u32)hart->mestatus & 1 : 0;
    hart->mestatus = status_value(hart) | kept;
}

/* A synchronous trap. MPIE is set whatever MIE was (quirk); the handler costs nothing. */
static i64 exception(Machine *m, i64 h, u32 pc, i64 extra) {
    State *st = m->st;
    Hart *hart = &m->hs[h];
    const CoreQuirks *quirks = &m->cfg->core;
    const bool t13 = m->cfg->is_t13;
    const Entry *e = &m->decoded[entry_index(m, pc)];
    if (e->op == OP_EBREAK && t13) {
        st->fault = FAULT_EBREAK;
        return STOP_FAULT;
    }
    /* Without a rotation to hide it, a trap takes the cycles of its instruction, and the fetch of
       the handler. */
    if (!t13) extra = st->busy + redirect_cycles(m) - e->fetch;
    save_status(m, hart);
    hart->mepc = pc;
    hart->mcause = st->cause;
    hart->mpie = quirks->trap_sets_mpie ? 1 : hart->mie;
    hart->mie = 0;
    if (!t13)
        hart->mbadaddr = (u32)st->value;
    else if (st->cause == 4 || st->cause == 6) /* misaligned */
        hart->mbadaddr = quirks->mbadaddr_from_next_slot ? address_wires(m, h, pc) : st->value;
    update_pending(m, h);
    return enter_handler(m, h, pc, trap_vector(m, h), extra);
}

/* The machine interrupt of an in-order core with the highest priority: its cause. */
static i64 machine_cause(Machine *m) {
    const u32 taken = pending_interrupts(m, m->st->cycle) & (u32)m->hs[0].mie_register;
    return taken & INTERRUPT_EXTERNAL ? 11 : taken & INTERRUPT_SOFTWARE ? 3 : 7;
}

static u32 interrupt_vector(Machine *m, i64 h) {
    const u32 base = trap_vector(m, h);
    return (u32)m->hs[h].mtvec & m->cfg->vectored ? base + 4 * (u32)machine_cause(m) : base;
}

/* A machine interrupt replaces the instruction that would issue in this cycle. */
static i64 machine_interrupt(Machine *m, i64 h, u32 pc) {
    Hart *hart = &m->hs[h];
    const u32 handler = interrupt_vector(m, h);
    save_status(m, hart);
    hart->mepc = pc;
    hart->mcause = MCAUSE_INTERRUPT | machine_cause(m);
    hart->mbadaddr = 0;
    hart->mpie = hart->mie;
    hart->mie = hart->trap_repeats = 0;
    update_pending(m, h);
    return enter_handler(m, h, pc, handler, m->cfg->entry - 1 + redirect_cycles(m));
}

/* A software interrupt takes the slot of the instruction it discards, and clears its bit. */
static i64 interrupt(Machine *m, i64 h, u32 pc) {
    Hart *hart = &m->hs[h];
    const bool asleep = m->decoded[entry_index(m, pc)].op == OP_WFI;
    save_status(m, hart);
    hart->mepc = pc;
    hart->mcause = asleep ? 0xC0000003 : 0x80000003;
    hart->mpie = hart->mie;
    hart->mie = hart->msip = hart->trap_repeats = 0;
    update_pending(m, h);
    const bool stored = m->decoded[entry_index(m, pc)].op == OP_SW; /* it was not discarded */
    i64 stop = enter_handler(m, h, pc, trap_vector(m, h), stored ? granted_after(m) : 0);
    /* A busy vector unit had made it a retry before. */
    if (stop == 0) hart->retries += m->st->retried;
    return stop;
}

/* Mret continues after a wfi that an interrupt ended, else at mepc. */
static void return_from_trap(Machine *m, i64 h) {
    Hart *hart = &m->hs[h];
    hart->mie = hart->mpie;
    hart->mpie = 1;
    hart->trap_repeats = 0;
    hart->trap_depth--;
    update_pending(m, h);
    const u32 skip = m->cfg->is_t13 && (u32)hart->mcause >> 30 == 3 ? 4 : 0;
    m->st->next_pc = (u32)hart->mepc + skip;
    if (m->cfg->ishift == 1) {
        const i64 from = entry_index(m, (u32)hart->pc), to = entry_index(m, (u32)hart->mepc);
        m->st->busy += split_target(m, from, to);
    }
    m->st->watch = CALL_TRAP_RETURN;
}

/* Wfi with interrupts on: the hart re-executes it in every slot until one is pending. Unless every
   slot is needed, the hart leaves the rotation. */
static void fall_asleep(Machine *m, i64 h, u32 pc) {
    State *st = m->st;
    Hart *hart = &m->hs[h];
    const bool exiting = st->exit_cycle >= 0;
    st->next_pc = pc;
    hart->stuck = 1;
    rebook(m, h, entry_index(m, pc), false, 0);
    if (all_stuck(m) && !exiting) {
        st->stop = STOP_HANG; /* count this last slot and none after it, then stop */
        hart->gap = 0;
    } else if (!keeps_slots(m) && !exiting) {
        hart->parked = 1;
        hart->stuck = 0;
        st->slots++;
        hart->park_issued = engine_issued(m, h);
        st->slots--;
        link_harts(m);
    }
}

/* Set MSIP of a hart; it wakes if it waits for that. */
static void set_software_interrupt(Machine *m, i64 target, i64 value) {
    Hart *other = &m->hs[target];
    other->msip = value;
    update_pending(m, target);
    if (!other->parked || !(m->st->pending >> target & 1)) return;
    book_parked(m, target, 1);
    other->parked = 0;
    link_harts(m);
}

/* A store to the software-interrupt registers, legal or misaligned. */
static i64 software_interrupt(Machine *m, i64 h, u32 pc) {
    State *st = m->st;
    const i64 index = entry_index(m, pc);
    const Entry *e = &m->decoded[index];
    u32 *x = registers(m, h);
    const bool misaligned = st->cause != 0;
    i64 target = ((u32)st->value - SWI_FIRST) >> 2;
    if (m->cfg->is_morph) {
        if (misaligned) return exception(m, h, pc, 0);
        if (target < m->cfg->harts) set_software_interrupt(m, target, 1);
        return 0;
    }
    if (misaligned || target >= m->cfg->harts)
        target = m->cfg->core.swi_stale_target ? st->swi_target : -1;
    else
        st->swi_target = target;
    /* The CSR unit serves the hart's trap, drops the request of the same cycle, and the execute
       stage waits for its answer (RTL-CSR_Unit.vhd, CSR_unit_op; seen in a directed run). */
    if (misaligned && target == h) return stop_with(m, FAULT_LOST_REQUEST, (u32)st->value);
    if (target >= 0) {
        Hart *other = &m->hs[target];
        other->csr_read = other->msip << 3;
        set_software_interrupt(m, target, x[e->rs2] >> 3 & 1);
    }
    const u32 number = (u32)e->imm & 31;
    if (number && m->cfg->core.swi_store_writes_register) {
        x[number] = (u32)m->hs[h].csr_read;
        st->warnings |= WARN_SWI_REGISTER;
    }
    if (misaligned) return exception(m, h, pc, SWI_EXTRA_CYCLES);
    book_execute(m, h, index, SWI_EXTRA_CYCLES);
    st->busy += SWI_EXTRA_CYCLES;
    return 0;
}

static bool is_stale(const Machine *m, u32 pc) {
    const i64 index = entry_index(m, pc);
    return index < m->words && m->table[index].op == OP_STALE;
}

/* A trap reads the first word of its handler, and the next instruction in rotation. */
static bool needs_decoding(Machine *m, i64 h) {
    const i64 kind = m->st->rare, harts = m->cfg->harts;
    if (kind == RARE_MRET || kind == RARE_SLEEP || kind == RARE_REWRITTEN ||
        kind == RARE_HOST)
        return false;
    if (kind == RARE_INTERRUPT && !m->cfg->is_t13) return is_stale(m, interrupt_vector(m, h));
    return is_stale(m, trap_vector(m, h)) ||
           (kind != RARE_INTERRUPT && is_stale(m, (u32)m->hs[(h - 1 + harts) % harts].pc));
}

i64 execute_rare(Machine *m) {
    State *st = m->st;
    const i64 h = st->hart;
    const u32 pc = (u32)m->hs[h].pc;
    i64 stop = 0;
    if (st->rewritten || st->late) wake_rewritten(m, 1);
    if (needs_decoding(m, h)) return STOP_DECODE;
    if (st->rare == RARE_HOST && st->host == HOST_ASKED) {
        run_masters(m, st->host_cycle);
        return STOP_HOST;
    }
    switch (st->rare) {
    case RARE_INTERRUPT:
        stop = m->cfg->is_t13 ? interrupt(m, h, pc) : machine_interrupt(m, h, pc);
        break;
    case RARE_CSR:
        if (!csr_access(m, h, &m->decoded[entry_index(m, pc)])) {
            st->cause = ILLEGAL_INSTRUCTION;
            st->value = instruction_at(m, entry_index(m, pc));
            stop = exception(m, h, pc, st->busy);
        }
        break;
    case RARE_MRET: return_from_trap(m, h); break;
    case RARE_SLEEP: fall_asleep(m, h, pc); break;
    case RARE_HOST: st->host = 0; break;
    case RARE_SOFTWARE_INTERRUPT: stop = software_interrupt(m, h, pc); break;
    case RARE_TRAP: /* a bus error comes with the grant */
        stop = exception(m, h, pc, st->cause == 5 || st->cause == 7 ? granted_after(m) : 0);
        break;
    }
    st->rare = 0;
    return stop;
}
