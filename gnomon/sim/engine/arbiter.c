/* The arbiter of the functional units that multithreaded vector units share.

   Source: RTL-DSP_Unit.vhd of T13x c2c62163, FU_HANDLER_MT. If the units that a hart's instruction
   needs are free, the instruction takes them while it runs. If one is busy or requested, the hart
   enters all of them in rings of `harts - 1` entries and waits. In a cycle in which a unit is free
   and a waiting hart requests it, the hart in the oldest entry gets it, two cycles before its first
   read. Normally the order is first come, first served. But an instruction that traps or has no
   length enters the rings too, and does not wait: its entry takes a grant that no hart uses, and
   while it requests the unit, no hart finds it free.

   The state advances cycle by cycle while it changes, and else in one step to the next end of an
   instruction. The waits of an instruction are predicted on a copy. */
#include "vcu.h"

#define ENTRY_BITS 4
#define PATIENCE_CYCLES 64 /* without a running instruction, every entry was served by then */

typedef struct Request {
    i64 hart; /* -1: no hart requests */
    u32 needed;
    bool runs;
} Request;

static const Request NOBODY = {-1, 0, false};

/* Let a hart read from a cycle on, or later if a transfer is in its way. */
static void start(Arbiter *a, i64 h, i64 first) {
    a->first[h] = most(first, a->read_free[h]);
    a->end[h] = most(a->first[h] + a->to_write[h], a->write_free[h]) + a->after[h];
}

/* Waiting harts take the units granted to them; a hart that has all its units starts. Returns the
   harts that still wait, with those in `stay`. */
INLINE i64 take_grants(Arbiter *a, i64 harts, i64 cycle, i64 stay, const int units) {
    for (i64 h = 0; h < harts; h++) {
        const i64 mine = 1 << h;
        if (!(a->waiting & mine))
            continue;
        for (int unit = 0; unit < units; unit++) {
            if (a->granted[unit] & mine) {
                a->held[unit] |= mine;
                a->wanted[unit] &= ~mine;
            } else if (a->wanted[unit] & mine) {
                stay |= mine;
            }
        }
        if (!(stay & mine))
            start(a, h, cycle + 1);
    }
    return stay;
}

/* The next place in a ring. */
static i64 after(i64 place, i64 harts) { return (place + 1) % most(harts - 1, 1); }

/* Grant free units to the oldest entries of their rings; returns whether anything changed. */
INLINE bool grant(Arbiter *a, i64 harts, u32 busy, const int units) {
    bool changed = false;
    for (int unit = 0; unit < units; unit++) {
        const i64 wanting = a->wanted[unit] & a->waiting;
        i64 granted = 0;
        if (wanting && !(busy >> unit & 1)) {
            const i64 place = a->read[unit];
            const i64 oldest = a->ring[unit] >> ENTRY_BITS * place & 7;
            /* The RTL clears each hart's grants one after the other, from the highest hart down: a
               hart that only higher harts granted loses its grants. */
            if (wanting & ((2 << oldest) - 1))
                granted = 1 << oldest;
            a->read[unit] = after(place, harts);
            changed = true;
        } else if (a->granted[unit]) {
            changed = true;
        }
        a->granted[unit] = granted;
    }
    return changed;
}

INLINE void enter_rings(Arbiter *a, i64 harts, i64 h, u32 needed, const int units) {
    for (int unit = 0; unit < units; unit++) {
        if (!(needed >> unit & 1))
            continue;
        const i64 place = a->write[unit];
        const i64 others = a->ring[unit] & ~(INT64_C(7) << ENTRY_BITS * place);
        a->ring[unit] = others | h << ENTRY_BITS * place;
        a->write[unit] = after(place, harts);
    }
}

/* Compute one cycle; return whether it changed more than the time. */
INLINE bool step_units(Arbiter *a, i64 harts, Request r, const int units) {
    const i64 cycle = a->cycle;
    const bool asks = r.hart >= 0;
    const i64 asker = asks ? 1 << r.hart : 0;
    i64 keep = a->waiting;
    for (i64 h = 0; h < harts; h++)
        if (a->end[h] >= cycle)
            keep |= 1 << h;
    if (r.runs)
        keep |= asker;
    bool changed = asks;
    u32 wanted = 0;
    for (int unit = 0; unit < units; unit++) {
        if (a->wanted[unit])
            wanted |= 1u << unit;
        if (a->held[unit] & ~keep) {
            a->held[unit] &= keep;
            changed = true;
        }
    }
    const bool waits = asks && (r.needed & ((u32)a->busy | wanted)) != 0;
    if (r.runs && !waits)
        start(a, r.hart, cycle);
    const i64 stay = take_grants(a, harts, cycle, waits && r.runs ? asker : 0, units);
    u32 busy = 0;
    for (int unit = 0; unit < units; unit++) {
        if (asks && r.needed >> unit & 1) {
            if (waits)
                a->wanted[unit] |= asker;
            else
                a->held[unit] |= asker;
        }
        if (a->held[unit])
            busy |= 1u << unit;
    }
    if (grant(a, harts, busy, units))
        changed = true;
    if (waits)
        enter_rings(a, harts, r.hart, r.needed, units);
    if (busy != (u32)a->busy || stay != a->waiting)
        changed = true;
    a->busy = busy;
    a->waiting = stay;
    a->cycle = cycle + 1;
    return changed;
}

static bool step(Arbiter *a, i64 harts, Request r, bool own_units) {
    return unlikely(own_units) ? step_units(a, harts, r, MOST_FUNCTIONAL_UNITS)
                               : step_units(a, harts, r, FUNCTIONAL_UNITS);
}

/* Advance to a cycle while no hart waits: instructions end, without other effects. */
INLINE void pass_time(Arbiter *a, i64 harts, i64 cycle, const int units) {
    i64 keep = 0;
    for (i64 h = 0; h < harts; h++)
        if (a->end[h] >= cycle - 1)
            keep |= 1 << h;
    a->busy = 0;
    for (int unit = 0; unit < units; unit++) {
        a->granted[unit] = 0;
        a->held[unit] &= keep;
        if (a->held[unit])
            a->busy |= 1 << unit;
    }
    a->cycle = cycle;
}

/* The first cycle from now on after a running instruction; NEVER if none runs. */
static i64 next_end(const Arbiter *a, i64 harts) {
    i64 end = NEVER;
    for (i64 h = 0; h < harts; h++)
        if (a->end[h] + 1 >= a->cycle)
            end = least(end, a->end[h] + 1);
    return end;
}

/* Predict the busy time of each hart if no other instruction is issued. */
static void foresee(State *st, i64 harts) {
    Arbiter *a = &st->foreseen;
    *a = st->arbiter;
    for (int patience = PATIENCE_CYCLES; a->waiting && patience > 0;) {
        const bool changed = step(a, harts, NOBODY, st->own_units);
        const i64 end = next_end(a, harts);
        if (end == NEVER)
            patience--;
        else if (!changed)
            a->cycle = most(a->cycle, end);
    }
    for (i64 h = 0; h < harts; h++)
        if (st->arbiter.waiting >> h & 1)
            st->vcu_last[h] = a->waiting >> h & 1 ? NEVER : a->end[h];
}

Times request_units(State *st, i64 harts, i64 h, u32 needed, i64 cycle, i64 to_write,
                    i64 after_write, i64 read_free, i64 write_free, bool runs) {
    Arbiter *a = &st->arbiter;
    const bool own = st->own_units;
    while (a->cycle < cycle && a->waiting)
        if (!step(a, harts, NOBODY, own))
            a->cycle = most(a->cycle, least(next_end(a, harts), cycle));
    if (a->cycle < cycle)
        own ? pass_time(a, harts, cycle, MOST_FUNCTIONAL_UNITS)
            : pass_time(a, harts, cycle, FUNCTIONAL_UNITS);
    if (runs) {
        a->to_write[h] = to_write;
        a->after[h] = after_write;
        a->read_free[h] = read_free;
        a->write_free[h] = write_free;
    }
    step(a, harts, (Request){h, needed, runs}, own);
    Times t = {a->first[h], 0, 0};
    if (runs)
        st->vcu_last[h] = a->end[h];
    if (a->waiting)
        foresee(st, harts);
    if (a->waiting >> h & 1)
        t.first_read = st->vcu_last[h] >= NEVER ? NEVER : st->foreseen.first[h];
    if (!runs)
        for (int unit = 0; unit < MOST_FUNCTIONAL_UNITS; unit++)
            if (needed >> unit & 1 && a->wanted[unit] >> h & 1)
                st->warnings |= WARN_STALE_REQUEST;
    t.last = st->vcu_last[h];
    return t;
}
