/* mcycle and minstret: values stored as a base to subtract from a clock, so counting is free.

   Source: the T13x RTL (tests/reference/t13x/hart_cycles.csv; lock-step with it). The clock of
   mcycle is the cycle number (count_all = 1) or the cycles in which the hart holds the execute
   stage (count_all = 0). The clock of minstret is the number of issues, of all harts or of this
   one. On the T13 a write to PCER or to a counter acts from two cycles after its issue, and
   minstret is stored one higher than it reads. */
#include "rare.h"

#define PCER_MASK 0x3E7u
#define PCER_EVENTS 0x3E4u
#define COUNT_CYCLES 1
#define COUNT_ISSUES 2

i64 engine_issued(const Machine *m, i64 h) { return (m->st->slots + h) / m->cfg->harts; }

i64 engine_own_cycles(const Machine *m, i64 h) {
    return engine_issued(m, h) + m->hs[h].own_extra + m->hs[h].charged;
}

static i64 cycle_clock(const Machine *m, i64 h) {
    return m->cfg->count_all ? m->st->cycle : engine_own_cycles(m, h);
}

/* Issues including the reading instruction; the engine has counted the earlier ones. */
static i64 issue_clock(const Machine *m, i64 h) {
    return (m->cfg->count_all ? m->st->slots : engine_issued(m, h)) + 1;
}

/* Counters have 64 bits and wrap: a program may set the highest one. */
static i64 sum(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }

static i64 difference(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }

i64 read_mcycle(const Machine *m, i64 h) {
    const Hart *hart = &m->hs[h];
    if (!(hart->pcer & COUNT_CYCLES)) return hart->cycle_value;
    return difference(cycle_clock(m, h), hart->cycle_base);
}

/* -1 before it ever counted on a T13. Morph reads before it counts the reading instruction. */
i64 read_minstret(const Machine *m, i64 h) {
    const Hart *hart = &m->hs[h];
    if (!(hart->pcer & COUNT_ISSUES)) return hart->instret_value;
    return difference(issue_clock(m, h) - m->cfg->is_morph, hart->instret_base);
}

/* Start and stop counters. */
void write_pcer(Machine *m, i64 h, u32 value) {
    Hart *hart = &m->hs[h];
    settle_events(m, h);
    i64 old = hart->pcer, new = m->cfg->core.pcer_keeps_all_bits ? value : value & PCER_MASK;
    if (m->cfg->core.mhpmevent_bits) hart->events = value & PCER_EVENTS;
    i64 clock = cycle_clock(m, h), issues = issue_clock(m, h);
    if (new & ~old & COUNT_CYCLES) hart->cycle_base = difference(clock + 1, hart->cycle_value);
    if (old & ~new & COUNT_CYCLES) hart->cycle_value = difference(clock + 1, hart->cycle_base);
    if (new & ~old & COUNT_ISSUES) hart->instret_base = difference(issues, hart->instret_value);
    if (old & ~new & COUNT_ISSUES) hart->instret_value = difference(issues, hart->instret_base);
    hart->pcer = new;
    choose_counting(m);
}

/* With count_all = 1 all other counting harts lose a cycle (quirk). */
void write_mcycle(Machine *m, i64 h, i64 value) {
    m->hs[h].cycle_value = value;
    m->hs[h].cycle_base = difference(cycle_clock(m, h) + 1, value);
    if (!m->cfg->count_all || !m->cfg->core.counter_write_costs_others_a_cycle) return;
    for (i64 other = 0; other < m->cfg->harts; other++)
        if (other != h && m->hs[other].pcer & COUNT_CYCLES) m->hs[other].cycle_base = sum(m->hs[other].cycle_base, 1);
}

/* Set the stored counter, which the next instruction reads as `value`. */
void write_minstret(Machine *m, i64 h, i64 value) {
    m->hs[h].instret_value = difference(value, m->cfg->is_t13);
    m->hs[h].instret_base = difference(issue_clock(m, h) + 1, value);
    if (!m->cfg->is_morph || !m->cfg->count_all) return;
    for (i64 other = 0; other < m->cfg->harts; other++) /* none counts this instruction */
        if (other != h && m->hs[other].pcer & COUNT_ISSUES)
            m->hs[other].instret_base = sum(m->hs[other].instret_base, 1);
}
