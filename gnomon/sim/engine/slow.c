/* Instructions that the loop does not execute inline: everything but plain integer work and
   accesses to data RAM. Issue cycle, extra cycles and next pc are left in the state. Rare
   operations (traps, interrupts, sleeping, most CSRs) are only prepared here: rare.c executes them.
   */
#include "fetch.h"
#include "toggles.h"

/* Cycles of a shared unit for the requests of an instruction without effect. */
#define VOID_CYCLES 7

typedef struct {
    i64 h, o, index, limit;
    const Entry *e;
    u32 pc, rs1, rs2, value; /* value: what mtval reports on an ISA-clean core */
    u32 *target;
    i64 unit, cycle;
    bool irq;
    i64 cause, rare;
} Step;

/* Wait for the LSU, and a swap or a transfer for its vector unit too. */
static i64 wait_for_units(Machine *m, Step *s, bool for_vcu) {
    State *st = m->st;
    Account *account = &m->acct[s->h];
    Dynamic *spot = dynamic(m, s->h, s->index);
    i64 issue = most(s->cycle, st->lsu_last + 2);
    if (for_vcu) {
        issue = most(issue, st->vcu_last[s->unit] + 2);
        if (issue > NEVER && st->exit_cycle < 0) return STOP_HANG;
    }
    if (issue > s->limit) return WAITS;
    s->cycle = stall(m, s->h, &account->wait_lsu, &spot->wait_lsu, s->cycle, st->lsu_last);
    if (for_vcu)
        s->cycle = stall(m, s->h, &account->wait_vcu, &spot->wait_vcu, s->cycle,
                         st->vcu_last[s->unit]);
    st->cycle = s->cycle;
    return DONE;
}

/* A vector instruction of an in-order core waits in decode: no other hart could use the slot. */
static i64 wait_in_order(Machine *m, Step *s) {
    State *st = m->st;
    i64 last = st->vcu_last[s->unit];
    if (last + 2 > s->limit) return last >= NEVER && st->exit_cycle < 0 ? STOP_HANG : WAITS;
    s->cycle = stall(m, s->h, &m->acct[s->h].wait_vcu, &dynamic(m, s->h, s->index)->wait_vcu,
                     s->cycle, last);
    st->cycle = s->cycle;
    return DONE;
}

/* A vector instruction whose unit is busy is retried in the next slot of its hart. */
static i64 try_again(Machine *m, Step *s) {
    State *st = m->st;
    if (st->vcu_last[s->unit] >= NEVER) {
        m->hs[s->h].stuck = 1;
        if (all_stuck(m) && st->exit_cycle < 0) return STOP_HANG;
    }
    i64 tries = retry(m, s->h, s->e, s->index, st->vcu_last[s->unit], s->cycle, s->limit);
    if (m->toggles)
        for (i64 k = 0; k < tries; k++) see_issue(m, s->h, s->index);
    st->extra_slots = (tries - 1) * m->cfg->harts;
    st->cycle = s->cycle + st->extra_slots;
    st->next_pc = s->pc;
    st->busy = 0;
    return DONE;
}

static void load(Machine *m, Step *s) {
    s->value = s->rs1 + (u32)s->e->imm;
    const i64 granted = s->cycle + m->cfg->data_waits + more_waits(m, s->value);
    s->cause = load_step(m, s->o, s->target, s->value, granted);
    if (s->cause != 0 && s->cause != 5) return;
    if (sees_requests(m)) record_request(m, granted, false, s->value, 0, 0);
    if (!m->toggles) return;
    see_load(m, s->index, s->value, (u32)m->st->bus_read);
    if (s->cause == 0) see_result(m, s->index, s->e, *s->target);
}

static void store(Machine *m, Step *s) {
    const i64 o = s->o;
    s->value = s->rs1 + (u32)s->e->imm;
    const i64 granted = s->cycle + m->cfg->data_waits + more_waits(m, s->value);
    s->cause = store_step(m, o, s->value, s->rs2, granted);
    const bool silent = is_silent(m, s->value);
    if (!silent && (s->cause == 0 || s->cause == 7)) {
        u32 lane = s->value & 3;
        u32 enables = (o == OP_SW ? 15u : o == OP_SH ? 3u : 1u) << lane;
        if (sees_requests(m))
            record_request(m, granted, true, s->value, enables, s->rs2 << 8 * lane);
        if (m->toggles) see_store(m, s->index, s->value, s->rs2 << 8 * lane);
    }
    if (m->cfg->is_t13 && s->cause == 0 && !silent) m->st->lsu_last = granted;
    if (s->irq && s->cause == 0)
        s->rare = RARE_INTERRUPT; /* the store goes out first, and again after mret */
    else if (o == OP_SW && s->cause >= 0 && in_swi_hole(m, s->value))
        s->rare = RARE_SOFTWARE_INTERRUPT;
}

/* The write uses the byte enables of the last load or store decoded, of any hart (quirk). Source:
   T13x RTL, RTL-ID_STAGE.vhd, fsm_ID_sync: the branch AMO does not set data_be_ID. */
static void swap(Machine *m, Step *s) {
    bool discard = s->e->rd == SINK;
    u32 enables = m->cfg->core.amo_stale_byte_enables ? (u32)m->st->amo_enables : 15;
    s->value = s->rs1;
    const i64 waits = m->cfg->data_waits + more_waits(m, s->value), first = s->cycle + waits;
    const i64 last = discard ? first : first + 2 + waits;
    s->cause = amo_step(m, s->target, discard, s->rs1, s->rs2, enables, first, last);
    if (!enables && s->cause == 0) m->st->warnings |= WARN_SWAP_NOTHING;
    if (sees_requests(m) && (s->cause == 0 || s->cause == 5 || s->cause == 7)) {
        if (!discard) record_request(m, first, false, s->value, 0, 0);
        if (s->cause != 5) record_request(m, last, true, s->value, enables, s->rs2);
    }
    if (m->toggles && (s->cause == 0 || s->cause == 5 || s->cause == 7)) {
        if (!discard) see_load(m, s->index, s->value, (u32)m->st->bus_read);
        if (s->cause != 5) see_store(m, s->index, s->value, s->rs2);
        if (!discard && s->cause == 0) see_result(m, s->index, s->e, *s->target);
    }
}

static void transfer(Machine *m, Step *s) {
    State *st = m->st;
    u32 rd = *s->target;
    i64 before = st->lsu_last;
    s->value = s->o == OP_KMEMSTR ? rd : s->rs1;
    s->cause = transfer_issue(m, s->h, s->o, rd, s->rs1, s->rs2, s->cycle);
    if (m->cfg->tracing && st->lsu_last != before)
        record_span(m, SPAN_LSU, s->cycle, st->lsu_last, rd, s->rs1, s->rs2,
                    s->rs2 & (2 * m->cfg->spm_size - 1));
}

/* An instruction of a unit holds execute for the cycles of its latency model. */
static void unit(Machine *m, Step *s) {
    State *st = m->st;
    const u32 result = unit_result(m, s->h, s->e, registers(m, s->h));
    st->operand_wait = 0;
    if (s->e->latency) st->busy += book_operands(m, s->h, s->index, s->rs1, s->rs2);
    *s->target = result;
    if (m->toggles) see_result(m, s->index, s->e, result);
}

static void vector(Machine *m, Step *s) {
    State *st = m->st;
    const Config *cfg = m->cfg;
    i64 before = st->vcu_last[s->unit];
    bool behind_void =
        cfg->is_t13 && cfg->sharing == SHARED && s->cycle - st->void_cycle <= VOID_CYCLES;
    s->cause =
        vector_issue(m, s->h, s->o, *s->target, s->rs1, s->rs2, s->e->imm, s->cycle);
    m->hs[s->h].stuck = 0; /* a predicted endless wait may have ended */
    if (s->cause > 0 || m->hs[s->h].mvsize == 0)
        void_issue(m, s->h, s->o, s->cycle);
    else if (behind_void)
        st->warnings |= WARN_BEHIND_VOID;
    if (cfg->tracing && st->vcu_last[s->unit] != before)
        record_span(m, s->unit, s->cycle, st->vcu_last[s->unit], *s->target, s->rs1, s->rs2,
                    m->hs[s->h].mvsize);
}

/* Wfi of an in-order core: asleep after its own cycles, until an enabled interrupt is pending.
   Returns DONE, or STOP_HANG, without effect, if there will be none. */
static i64 sleep_in_order(Machine *m, const Step *s) {
    State *const st = m->st;
    const i64 from = s->cycle + st->busy + 1 - s->e->fetch, wake = wake_cycle(m, from);
    if (st->fault) return STOP_FAULT;
    if (wake >= NEVER) return STOP_HANG;
    st->slept = wake - from;
    st->busy += st->slept;
    st->sleep_end = s->cycle + st->busy + 1;
    m->acct[s->h].parked += st->slept;
    dynamic(m, s->h, s->index)->parked += st->slept;
    return DONE;
}

/* Asleep with interrupts on: the instruction repeats in every slot of its hart. */
static void sleep_step(Machine *m, Step *s) {
    const Hart *hart = &m->hs[s->h];
    if (!m->cfg->is_t13 || !hart->mie) return;
    if (!hart->stuck || (!keeps_slots(m) && m->st->exit_cycle < 0)) {
        s->rare = RARE_SLEEP;
        return;
    }
    m->acct[s->h].issue[CLASS_SYSTEM]--;
    m->acct[s->h].parked++;
    dynamic(m, s->h, s->index)->parked++;
    m->st->next_pc = s->pc;
}

/* Morph decodes that these shifts and these instructions of funct7 0x20 write rd before it detects
   that they are illegal. */
static bool writes_back(u32 word) {
    const u32 opcode = word & 0x7F, funct3 = word >> 12 & 7;
    if (!(word >> 7 & 31)) return false;
    return (opcode == 0x13 && funct3 == 5) || (opcode == 0x33 && word >> 25 == 0x20);
}

/* Jumps and branches come here to trap, or because an interrupt replaces them. The loop has counted
   the issue and the operands of a trapping branch, but not those of a replaced one. */
static void see_slow(Machine *m, const Step *s) {
    const i64 o = s->o;
    const bool jumps = is_jump(o), branches = is_branch(o);
    m->st->seen = s->index;
    if (!branches || s->irq) see_issue(m, s->h, s->index);
    if (!jumps && !branches && !(s->irq && o != OP_SW))
        see_operands(m, s->index, o, s->rs1, s->rs2, 0, s->pc);
}

/* Cycles of the second access of a misaligned load or store: by default as many as the first. */
static i64 second_access(const Machine *m, const Entry *e) {
    const i64 again = m->cfg->misaligned;
    return again ? again : e->extra - m->cfg->fetch + 1;
}

/* Further cycles of a load on a machine with a data cache; accounts for them. */
static i64 cached_load(Machine *m, const Step *s) {
    m->st->refilled = 0;
    const i64 first = load_wait(m, s->index, s->value);
    if (!crosses_word(s->o, s->value)) return first;
    const i64 again = second_access(m, s->e);
    book_execute(m, s->h, s->index, again);
    return first + again + load_wait(m, s->index, (s->value | 3) + 1);
}

/* Attribute the wait states of a device to it; they were counted in execute. */
static void book_device(Machine *m, const Step *s, u32 address) {
    const Device *const d = device_at(m, address);
    if (!d || d->waits <= 0) return;
    book_execute(m, s->h, s->index, -d->waits);
    m->acct[s->h].wait_device += d->waits;
    dynamic(m, s->h, s->index)->wait_device += d->waits;
    m->st->of_device += d->waits;
}

/* The same of an access, which may be to two words. */
static void book_devices(Machine *m, const Step *s) {
    m->st->of_device = 0;
    book_device(m, s, s->value);
    if (crosses_word(s->o, s->value)) book_device(m, s, (s->value | 3) + 1);
    m->st->device_end = s->cycle + m->st->busy + 1;
}

/* Further cycles of a load, store or swap that was executed, beyond those of its entry: the waits of
   its region, and a second access. */
static void take_longer(Machine *m, const Step *s) {
    const i64 o = s->o;
    if (s->cause < 0 || (s->rare == RARE_INTERRUPT && !m->cfg->is_t13)) return; /* replaced */
    const i64 more = more_waits(m, s->value);
    if (m->dcache && s->cause == 0 && is_load(o)) {
        m->st->busy += cached_load(m, s);
        if (m->device_count) book_devices(m, s);
        return;
    }
    i64 further = o == OP_AMOSWAP_W && s->e->rd != SINK ? 2 * more : more;
    if (s->cause == 0 && o != OP_AMOSWAP_W && crosses_word(o, s->value)) {
        further += second_access(m, s->e);
        further += more_waits(m, (s->value | 3) + 1);
    }
    m->st->busy += further;
    if (s->cause == 0 && s->rare != RARE_INTERRUPT) book_execute(m, s->h, s->index, further);
    if (m->device_count && s->cause == 0 && s->rare != RARE_INTERRUPT) book_devices(m, s);
}

/* The marks of a semihosting call (RISC-V Semihosting 1.0): slli and srai of x0. */
#define CALL_FOLLOWS 0x01F01013u
#define CALL_PRECEDES 0x40705013u

/* Whether an ebreak of 32 bits between two marks calls the host. */
static bool calls_host(const Machine *m, const Step *s) {
    const i64 step = 4 >> m->cfg->ishift, before = s->index - step, after = s->index + step;
    if (!m->cfg->semihosting || size_of_instruction(m, s->e) != 4) return false;
    return before >= 0 && after < m->words && instruction_at(m, before) == CALL_FOLLOWS &&
           instruction_at(m, after) == CALL_PRECEDES;
}

static void execute(Machine *m, Step *s) {
    const i64 o = s->o;
    if (m->toggles) see_slow(m, s);
    if (s->irq && (o != OP_SW || !m->cfg->is_t13))
        s->rare = RARE_INTERRUPT;
    else if (is_load(o))
        load(m, s);
    else if (is_store(o))
        store(m, s);
    else if (o == OP_LOAD_X0)
        m->st->busy = 0;
    else if (o == OP_AMOSWAP_W)
        swap(m, s);
    else if (is_transfer(o))
        transfer(m, s);
    else if (is_vector(o))
        vector(m, s);
    else if (is_unit(o))
        unit(m, s);
    else if (is_csr(o))
        s->rare = vector_csr(m, s->h, s->e) ? 0 : RARE_CSR;
    else if (o == OP_WFI)
        sleep_step(m, s);
    else if (o == OP_MRET)
        s->rare = RARE_MRET;
    else if (o == OP_ECALL)
        s->cause = 11;
    else if (o == OP_EBREAK && calls_host(m, s))
        ask_host(m, s->cycle);
    else if (o == OP_EBREAK) {
        s->cause = 3;
        s->value = s->pc;
    } else if (is_jump(o) || is_branch(o)) {
        /* Only an ISA-clean core comes here: the target is not aligned. */
        s->rare = RARE_TRAP;
        s->value = ((o == OP_JALR ? s->rs1 : s->pc) + (u32)s->e->imm) & ~1u;
    } else {
        s->cause = 2;
        s->value = (u32)s->e->imm;
        if (m->cfg->is_morph && writes_back(s->value)) m->st->warnings |= WARN_STALE_RESULT;
    }
}

i64 slow_step(Machine *m, i64 h, const Entry *e, i64 index, u32 pc, i64 cycle, i64 limit,
              bool irq) {
    State *st = m->st;
    u32 *x = registers(m, h);
    const i64 o = e->op;
    Step s = {
        .h = h, .o = o, .index = index, .limit = limit, .e = e, .pc = pc, .rs1 = x[e->rs1],
        .rs2 = x[e->rs2], .target = &x[e->rd], .unit = unit_of(m, h), .cycle = cycle, .irq = irq,
    };
    st->cycle = cycle;
    st->busy = e->extra;
    st->next_pc = pc + size_of_instruction(m, e);
    st->retried = 0;
    st->extra_slots = 0;

    bool for_vcu = is_transfer(o) || o == OP_AMOSWAP_W || o == OP_ILLEGAL_KMEM;
    i64 outcome = m->path ? record_slow_step(m, h, e, &s.cycle) : DONE;
    if (outcome != DONE) return outcome;
    st->cycle = s.cycle;
    if (waits_for_lsu(o))
        outcome = wait_for_units(m, &s, for_vcu);
    else if (is_vector(o) && !m->cfg->is_t13)
        outcome = wait_in_order(m, &s);
    else if ((is_vector(o) || o == OP_ILLEGAL_KDSP) && st->vcu_last[s.unit] >= s.cycle - 1) {
        st->retried = 1;
        if (!(st->pending >> h & 1)) return try_again(m, &s);
        s.irq = true;
    }
    if (outcome != DONE) return outcome;

    execute(m, &s);
    if (st->touched) plan_after_access(m);
    if (m->path) watch_lsu(m);
    if (s.cause < 0) return STOP_FAULT;
    if (o == OP_WFI && m->cfg->interrupts && s.rare == 0) return sleep_in_order(m, &s);
    if (is_load(o) || is_store(o) || o == OP_AMOSWAP_W) take_longer(m, &s);
    if (s.cause > 0 && s.rare == 0) s.rare = RARE_TRAP;
    if (s.rare == 0 && st->host) s.rare = RARE_HOST;
    if (s.rare == 0 && (st->rewritten || st->late)) s.rare = RARE_REWRITTEN;
    if (s.rare == 0) return DONE;
    st->rare = s.rare;
    st->cause = s.cause;
    st->value = s.value;
    return STOP_RARE;
}
