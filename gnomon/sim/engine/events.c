/* mhpmcounter3 and 6 to 10: events, counted while some hart has their bits in PCER, in programs
   that access one.

   Source: RTL-CSR_Unit.vhd, "performance counter automatic updating". The counters see the execute
   stage and the data bus in a cycle: of all harts (count_all = 1), or while this hart is in
   execute, which also holds for requests of a transfer of any hart. A retry is a jump to itself. An
   event in the cycle of a write, which is the one after its issue, replaces the write. Counter 3
   counts cycles in which the data memory stalls, of which there are none without wait states. */
#include "rare.h"

#define COUNTED 0x3E0u /* their bits in PCER, from the first one on */
#define FIRST_BIT 5

enum { STALLS, LOADS, STORES, JUMPS, BRANCHES, TAKEN };

/* Counter 3 or 6 to 10. */
static i64 *counter_of(Machine *m, i64 h, u32 address) {
    const u32 n = address & 15;
    return &m->hs[h].counted[n == 3 ? STALLS : n - 5];
}

static void count(Machine *m, i64 holder, i64 event, i64 times) {
    for (i64 h = 0; h < m->cfg->harts; h++)
        if ((m->cfg->count_all || h == holder) && m->hs[h].pcer >> (FIRST_BIT - 1 + event) & 1)
            m->hs[h].counted[event] += times;
}

/* Requests of a transfer up to a cycle, since the last of which `holder` is in execute. */
static void count_transfer(Machine *m, i64 holder, i64 cycle) {
    State *st = m->st;
    const i64 last = least(cycle, st->burst_end - 1);
    if (st->burst_next > last) return;
    const i64 n = (last - st->burst_next) / st->burst_step + 1;
    count(m, holder, st->burst_stores ? STORES : LOADS, n);
    st->burst_next += n * st->burst_step;
}

void note_transfer(Machine *m, i64 cycle, i64 last, bool store) {
    State *st = m->st;
    count_transfer(m, st->holder, cycle - 1); /* the rest of the previous transfer */
    st->burst_next = cycle + 1;
    st->burst_end = store ? last : last + 1;
    st->burst_step = 1 + store;
    st->burst_stores = store;
}

void count_request(Machine *m, bool store) { count(m, m->st->hart, store ? STORES : LOADS, 1); }

void count_issue(Machine *m, i64 h, i64 index, i64 cycle) {
    State *st = m->st;
    count_transfer(m, st->holder, cycle - 1);
    st->holder = h;
    if (st->cycle - st->last_gap - st->last_wait == st->trap_end) return; /* it was discarded */
    if (st->retried) {
        count(m, h, JUMPS, 1 + st->extra_slots / m->cfg->harts);
        return;
    }
    const Entry *e = &m->decoded[index];
    const u32 *x = registers(m, h), a = x[e->rs1], b = x[e->rs2];
    switch (e->op) {
    case OP_JAL: case OP_JALR: count(m, h, JUMPS, 1); break;
#define BRANCH(NAME, TAKEN_IF, TARGET) case OP_##NAME: \
        count(m, h, BRANCHES, 1); \
        if (TAKEN_IF) count(m, h, TAKEN, 1); \
        break;
    OPS_BRANCH(BRANCH)
#undef BRANCH
    }
}

u32 read_event_counter(Machine *m, i64 h, u32 address) {
    State *st = m->st;
    const Config *cfg = m->cfg;
    if (cfg->data_waits || m->window_count || cfg->is_morph || !cfg->counts_events) st->warnings |= WARN_HPM;
    count_transfer(m, st->holder, st->cycle - 1);
    st->holder = h;
    count_transfer(m, h, st->cycle);
    return (u32)*counter_of(m, h, address);
}

void write_event_counter(Machine *m, i64 h, u32 address, u32 value) {
    i64 *const counter = counter_of(m, h, address), before = *counter;
    count_transfer(m, h, m->st->cycle + 1);
    if (*counter == before) *counter = value;
}

/* PCER is about to change, in the cycle after the issue. */
void settle_events(Machine *m, i64 h) {
    State *st = m->st;
    count_transfer(m, st->holder, st->cycle - 1);
    st->holder = h;
    count_transfer(m, h, st->cycle + 1);
}

bool counts_events(const Machine *m, u32 pcer) { return m->cfg->counts_events && pcer & COUNTED; }

void choose_counting(Machine *m) {
    bool counts = false;
    for (i64 h = 0; h < m->cfg->harts; h++) counts |= counts_events(m, (u32)m->hs[h].pcer);
    /* Sleeping harts keep their slots, in which others do not count. */
    if (counts && !m->st->counting) wake_slots(m, 1);
    m->st->counting = counts;
}
