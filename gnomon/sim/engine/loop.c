/* Until an instruction would issue after the quantum, or something needs Python. */
#ifndef __clang__
/* GCC takes any label to follow any computed goto; those of properties follow the one that sets
   what they use. */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "fetch.h"
#include "latency.h"
#include "toggles.h"

/* State of a hart in the loops. */
typedef struct Lane {
    const Entry *e; /* next instruction */
    u32 *x;
    uintptr_t flow; /* distance from an entry to its Flow */
    Dynamic *dyn;
    struct Lane *next;
    i64 h, step;  /* slots up to the next hart awake */
    i64 busy;     /* execute cycles beyond one per issue */
    i64 waited;   /* for the LSU, not accounted for yet */
    u32 pc_base;  /* pc of the first word, if pc continued from there to the next instruction */
} Lane;

static void open_lane(const Machine *m, i64 h, Lane *lane, Lane *next) {
    const u32 pc = (u32)m->hs[h].pc;
    const i64 index = least(entry_index(m, pc), m->words);
    *lane = (Lane){
        .e = m->table + index, .x = registers(m, h),
        .flow = (uintptr_t)flow_of(m, h) - (uintptr_t)m->table,
        .dyn = m->dyn + h * m->words, .next = next, .h = h, .step = 1 + m->hs[h].gap,
        .busy = m->hs[h].own_extra, .pc_base = pc - ((u32)index << m->cfg->ishift),
    };
    flow_of(m, h)[lane->e - m->table].issues++;
}

static void close_lane(Machine *m, const Lane *lane) {
    Hart *hart = &m->hs[lane->h];
    flow_of(m, lane->h)[lane->e - m->table].issues--;
    hart->pc = lane->pc_base + ((u32)(lane->e - m->table) << m->cfg->ishift);
    hart->own_extra = lane->busy;
    if (!lane->waited) return;
    /* The cycles belong to the hart whose instruction was still in execute: the one before. */
    m->acct[lane->h].wait_lsu += lane->waited;
    m->hs[(lane->h + 1) % m->cfg->harts].charged += lane->waited;
}

static inline u32 load16(const u8 *at) { uint16_t v; memcpy(&v, at, 2); return v; }
static inline u32 load32(const u8 *at) { u32 v; memcpy(&v, at, 4); return v; }
static inline void store16(u8 *at, u32 v) { uint16_t half = (uint16_t)v; memcpy(at, &half, 2); }
static inline void store32(u8 *at, u32 v) { memcpy(at, &v, 4); }

/* A jump that leaves the instruction memory, or whose target is not aligned. */
static inline bool is_strange(u32 offset, u32 entries, int shift) {
    return (offset >> shift | offset << (32 - shift)) >= entries;
}
/* An access that leaves data RAM, or is not aligned. */
static inline bool out_of_reach(u32 offset, u32 bytes, u32 size) {
    switch (bytes) {
    case 4: return (offset >> 2 | offset << 30) >= size >> 2;
    case 2: return (offset >> 1 | offset << 31) >= size >> 1;
    }
    return offset >= size;
}

static u32 enables_of(i64 o) {
    if (o == OP_LW || o == OP_SW) return 15;
    return o == OP_LH || o == OP_LHU || o == OP_SH ? 3 : 1;
}

/* Serial execution: a busy LSU or VCU delays every instruction after `issued`. */
static i64 serial_wait(Machine *m, i64 h, i64 index, i64 issued, i64 lsu_last) {
    State *st = m->st;
    i64 busy = lsu_last;
    st->last_wait_vcu = 0;
    for (i64 unit = 0; unit < m->cfg->harts; unit++) {
        if (st->vcu_last[unit] <= busy) continue;
        busy = st->vcu_last[unit];
        st->last_wait_vcu = 1;
    }
    i64 waits = most(busy + 1 - issued, 0);
    if (busy >= NEVER) {
        st->stop = STOP_HANG;
        waits = 0;
    }
    if (st->last_wait_vcu) {
        m->acct[h].wait_vcu += waits;
        dynamic(m, h, index)->wait_vcu += waits;
    } else {
        m->acct[h].wait_lsu += waits;
        dynamic(m, h, index)->wait_lsu += waits;
    }
    m->hs[h].charged += waits;
    st->last_wait = waits;
    return waits;
}

/* ---- of an in-order core: docs/method/inorder-timing.md ---- */

/* Cycle in which an operand can be read; a register is ready when its slowest reader can read. */
static i64 operand_ready(const Machine *m, const Entry *e, i64 n, i64 operand) {
    const i64 ready = m->st->ready[n];
    if (!ready) return 0;
    const i64 *uses = m->uses + m->st->made_by[n] * USE_ROW;
    return ready - uses[0] + uses[1 + 3 * e->op + operand];
}

i64 engine_operands_ready(const Machine *m, const Entry *e) {
    const bool number = e->op == OP_CSRRWI || e->op == OP_CSRRSI || e->op == OP_CSRRCI;
    i64 ready = operand_ready(m, e, e->rs2, 1);
    if (!number) ready = most(ready, operand_ready(m, e, e->rs1, 0));
    if (is_unit(e->op) && m->units[e->op - OP_FIRST_UNIT].third)
        ready = most(ready, operand_ready(m, e, e->imm, 2));
    if (is_vector(e->op) || is_transfer(e->op)) {
        ready = most(ready, operand_ready(m, e, e->rd, 2));
        if (e->op >= OP_FIRST_VECTOR_UNIT && m->vector_units[e->op - OP_FIRST_VECTOR_UNIT].third)
            ready = most(ready, operand_ready(m, e, e->imm, 2));
    }
    return m->heeds[e->op] ? most(ready, interlocks_end(m, e)) : ready;
}

/* A result available after the end of its instruction; returns when all can read it. */
static i64 late_result(State *st, const i64 *uses, const Entry *e, i64 end) {
    st->made_by[e->rd] = e->use;
    return st->ready[e->rd] = end + uses[e->use * USE_ROW];
}

/* Account for the wait of an instruction for its operands; returns it. */
static i64 wait_for_operands(Machine *m, i64 index, i64 cycles) {
    m->acct[0].wait_operand += cycles;
    dynamic(m, 0, index)->wait_operand += cycles;
    m->hs[0].charged += cycles;
    return cycles;
}

/* A taken branch costs extra, and its target must be fetched. */
static i64 taken_branch(Machine *m, i64 index, Flow *flow) {
    const i64 taken = m->cfg->branch_taken, redirect = m->cfg->taken_fetch;
    flow->execute += taken;
    if (redirect) {
        m->acct[0].wait_fetch += redirect;
        dynamic(m, 0, index)->wait_fetch += redirect;
    }
    return taken + redirect;
}

/* ---- several harts ---- */

/* Whether a hart whose slot is in this cycle only retries: its vector unit is busy, but will
   finish. */
static inline bool only_tries(const Machine *m, const Lane *lane, i64 cycle) {
    const i64 busy_until = m->st->vcu_last[unit_of(m, lane->h)];
    return is_vector(lane->e->op) && busy_until >= cycle - 1 && busy_until < NEVER;
}

/* Account for retries, each of which takes its slot. */
static inline void book_tries(Machine *m, const Lane *lane, i64 tries) {
    const i64 index = lane->e - m->table;
    m->acct[lane->h].issue[CLASS_KDSP] -= tries;
    m->acct[lane->h].retry += tries;
    m->hs[lane->h].retries += tries;
    lane->dyn[index].retry += tries;
    count_issues(m, lane->h, index, 1, tries);
}

/* A hart retries in `cycle`. If all others can only retry, too, the retries up to the first other
   slot, or the limit, are accounted for at once; else only this one. Returns the cycle of the next
   slot of an awake hart, which is *turn; *last is the hart of the last retry. */
static i64 try_vector(Machine *m, i64 cycle, i64 limit, Lane **turn, Lane **last) {
    const i64 rotation = m->cfg->harts;
    Lane *const self = *turn;
    i64 slot = cycle, end = limit + 1;
    Lane *lane = self;
    do {
        if (!only_tries(m, lane, slot)) {
            book_tries(m, self, 1);
            *last = self;
            *turn = self->next;
            return cycle + self->step;
        }
        const i64 busy_until = m->st->vcu_last[unit_of(m, lane->h)];
        end = least(end, slot + ((busy_until - slot + 1) / rotation + 1) * rotation);
        slot += lane->step;
        lane = lane->next;
    } while (lane != self);
    i64 next = NEVER, latest = -1;
    slot = cycle;
    do {
        const i64 tries = slot < end ? (end - 1 - slot) / rotation + 1 : 0;
        const i64 behind = slot + tries * rotation;
        book_tries(m, lane, tries);
        if (behind < next) {
            next = behind;
            *turn = lane;
        }
        if (tries && behind - rotation > latest) {
            latest = behind - rotation;
            *last = lane;
        }
        slot += lane->step;
        lane = lane->next;
    } while (lane != self);
    return next;
}

_Static_assert(sizeof(Flow) == sizeof(Entry), "FLOW");
#include "straight.h"

/* A library has the loops of most runs, or the others: each takes long to compile. */
#define FETCHED 0
#define LINED 0
#define TOGGLING FURTHER_LOOPS
#define LOOP run_one_hart
#define INORDER 0
#include "interp.h"

#define LOOP run_in_order
#define INORDER 1
#include "interp.h"

#if FURTHER_LOOPS
#undef TOGGLING
#define TOGGLING 0
#undef LINED
#include "lined.h"

#define LOOP run_lined
#define INORDER 1
#include "interp.h"

#undef LINED
#define LINED 0
#undef BORDER
#undef LAND
#define BORDER(more)
#define LAND(CLASS)
#include "halfwords.h"

#define LOOP run_compressed
#define INORDER 1
#include "interp.h"

#undef FETCHED
#include "fetched.h"

#define LOOP run_fetched
#define INORDER 1
#include "interp.h"

#undef FETCHED
#define FETCHED 0
#undef TOGGLING
#define TOGGLING 1
#endif

#include "turns.h"

#define LOOP run_several_harts
#define INORDER 0
#include "interp.h"

static i64 run_loop(Machine *m, i64 limit, bool one) {
    State *st = m->st;
    st->several = m->hs[st->hart].next != st->hart;
#if FURTHER_LOOPS
    if (m->fetch) return (m->fetch->lined ? run_lined : run_fetched)(m, limit, one);
    if (m->cfg->ishift == 1) return run_compressed(m, limit, one);
#endif
    if (!m->cfg->is_t13) return run_in_order(m, limit, one);
    return st->several ? run_several_harts(m, limit, one) : run_one_hart(m, limit, one);
}

static i64 last_cycle(const Machine *m) {
    const i64 limit = least(m->st->quantum_end, m->cfg->hard_limit);
    return m->st->exit_cycle >= 0 ? least(limit, m->st->exit_cycle) : limit;
}

/* Record the issue that has just happened. */
static void record_issue(Machine *m, i64 h, u32 pc, i64 cycle, i64 extra) {
    State *st = m->st;
    const Account *account = &m->acct[h];
    m->trace[st->traced++] = (TraceRow){
        .cycle = cycle, .hart = h, .pc = pc, .extra = extra,
        .word = st->retried ? 0x6F : instruction_at(m, st->last_index),
        .waits = {account->wait_lsu, account->wait_vcu, account->wait_operand,
                  account->wait_fetch + account->wait_icache, account->trap},
    };
}

static void record_call(Machine *m, i64 h) {
    State *st = m->st;
    const Account *account = &m->acct[h];
    m->calls[st->call_rows++] = (CallRow){
        .hart = h, .index = st->last_index, .next_pc = m->hs[h].pc,
        .slots = st->slots - st->last_gap,
        .beyond = m->hs[h].own_extra + account->wait_lsu + account->wait_vcu + account->wait_operand,
        .stack = registers(m, h)[2], .kind = st->watch,
    };
    st->watch = 0;
}

static bool is_full(const Machine *m) {
    const State *st = m->st;
    const i64 transfer = (m->cfg->spm_size >> 1) + 4; /* the longest one still fits */
    if (m->cfg->tracing && st->traced >= m->trace_rows) return true;
    if (m->cfg->tracing && m->cfg->bus && st->bus_rows > m->bus_rows - transfer) return true;
    return m->cfg->calls && st->call_rows + 1 > m->call_rows - 1;
}

/* Whether a machine interrupt replaces the next instruction: one is pending when it would issue. */
static bool is_replaced(Machine *m, i64 index) {
    State *const st = m->st;
    if (st->event >= NEVER || st->prepared || index >= m->words) return false;
    const i64 issue = most(st->cycle, engine_operands_ready(m, &m->decoded[index]));
    if (issue < st->event) return false;
    if (pending_interrupts(m, issue) & (u32)m->hs[0].mie_register) return true;
    st->event = next_interrupt(m, issue); /* mtime was written, or has wrapped */
    return false;
}

/* One instruction, with the records that the run requests. */
static i64 step(Machine *m, i64 limit) {
    const Config *cfg = m->cfg;
    State *st = m->st;
    const i64 h = st->hart, slots = st->slots, busy = m->hs[h].own_extra;
    const u32 pc = (u32)m->hs[h].pc;
    const i64 index = entry_index(m, pc);
    const i64 over = index < m->words ? m->table[index].op : OP_NO_FETCH;
    if (st->cycle > limit) return STOP_QUANTUM;
    st->replaced = is_replaced(m, index);
    const bool paused = st->pause >> h & 1 && index < m->words && over != OP_STALE;
    const bool marked = over == OP_MARKED || over == OP_WATCHED_MARKED || paused;
    if (!st->replaced && marked && !st->step_over) return STOP_MARK;
    const bool watching =
        cfg->calls && (st->watch || over == OP_WATCHED || over == OP_WATCHED_MARKED);
    if (!st->prepared) st->retried = st->extra_slots = 0;
    i64 stop = run_loop(m, limit, true);
    if (st->slots == slots) return stop;

    const i64 extra = m->hs[h].own_extra - busy;
    const i64 cycle = st->cycle - extra - 1 - st->last_gap - st->last_wait;
    if (st->step_over) {
        st->step_over = 0;
        /* Retries of a vector instruction are accounted for at once; the first one counts here. */
        st->mark_cycle = cycle - st->extra_slots;
    }
    /* The first fetch happens twice: without a jump its word is executed twice. */
    const i64 o = m->decoded[st->last_index].op;
    if (cfg->core.boot_first_slot_repeats && slots == 0 && (u32)m->hs[h].pc == pc + 4 &&
        !is_jump(o) && !is_branch(o))
        m->hs[h].pc = pc;
    if (st->counting) count_issue(m, h, st->last_index, cycle);
    if (cfg->tracing) record_issue(m, h, pc, cycle, extra);
    if (watching) record_call(m, h);
    if (st->late) {
        /* The next word was fetched when the instruction before it left decode. */
        finish_writes(m, (st->last_gap ? st->cycle - 1 : cycle) - 1);
        if (st->rewritten) wake_rewritten(m, 0);
    }
    if (stop != STOP_QUANTUM) return stop;
    if (is_full(m)) return STOP_BUFFER;
    return st->cycle <= last_cycle(m) ? RESUME : STOP_QUANTUM;
}

/* Whether the next instruction must be executed individually. */
static bool must_step(const Machine *m) {
    const Config *cfg = m->cfg;
    const State *st = m->st;
    if (cfg->tracing || st->counting || st->step_over || st->pending || st->late) return true;
    if (st->pause) return true;
    if (cfg->calls && (st->watch || st->prepared)) return true;
    if (cfg->core.boot_first_slot_repeats && st->slots == 0) return true;
    for (i64 h = 0; h < cfg->harts; h++)
        if (is_misfetch(m, (u32)m->hs[h].pc)) return true;
    return false;
}

/* Translated blocks are next, unless one of them was overwritten. */
static i64 run_translated(Machine *m) {
    if (m->hot->writes != m->st->text_writes) {
        m->hot->writes = m->st->text_writes;
        if (hot_is_stale(m)) {
            m->st->hot_from = NEVER;
            return RESUME;
        }
    }
    run_hot(m);
    return RESUME;
}

static i64 run(Machine *m) {
    State *st = m->st;
    i64 stop = st->rare ? STOP_RARE : RESUME;
    for (bool first = true;; first = false) {
        if (stop == STOP_RARE) {
            if (m->cfg->stop_at_rare && !first) return stop;
            stop = execute_rare(m);
            if (stop != 0) return stop;
            st->prepared = 1;
        }
        if (st->fault) return STOP_FAULT; /* of a device that planned its next event */
        const i64 limit = last_cycle(m), until = least(limit, st->event - 1);
        stop = must_step(m) ? step(m, limit) : run_loop(m, until, false);
        /* An interrupt may replace a marked instruction, which then does not stop the loop. */
        if (stop == LOOK || (stop == STOP_MARK && st->event < NEVER)) stop = step(m, limit);
        /* The next instruction would issue from the event on. */
        if (stop == STOP_QUANTUM && until < limit) stop = step(m, last_cycle(m));
        if (stop == TRANSLATED) stop = run_translated(m);
        if (stop != RESUME && stop != STOP_RARE) break;
    }
    if (stop != STOP_QUANTUM) return stop;
    const i64 limit = last_cycle(m);
    if (st->exit_cycle >= 0 && limit == st->exit_cycle) return STOP_EXIT;
    return limit == m->cfg->hard_limit ? STOP_HARD_LIMIT : STOP_QUANTUM;
}

/* Last cycle of the run, or of what the core has accessed so far. */
static i64 reached_cycle(const Machine *m, i64 stop) {
    if (stop == STOP_EXIT) return m->st->exit_cycle;
    return stop == STOP_HARD_LIMIT ? m->cfg->hard_limit : m->st->cycle - 1;
}

i64 engine_run(Machine *m) {
    m->st->hot_from = 0;
    if (m->device_count) start_masters(m);
    const i64 stop = run(m);
    if (m->device_count) run_masters(m, reached_cycle(m, stop));
    if (stop == STOP_EXIT || stop == STOP_HANG || stop == STOP_FAULT || stop == STOP_HARD_LIMIT)
        finish_writes(m, NEVER);
    if (m->hot) fold_hot(m);
    return stop;
}
