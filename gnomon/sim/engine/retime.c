/* A recorded path priced on another machine: the same run, cycle for cycle, without executing it.

   The loop visits the events of a path and tracks the operations in flight. `delta` is the delay of
   the machine relative to the recording, in which every unit was idle. Rules as in slow.c and
   vcu_timing.c. Multithreaded vector units need no arbiter here: all events are of one hart, whose
   previous instruction has always left its functional units. */
#include "path.h"

typedef struct Price {
    const Machine *m;
    const Config *cfg;
    i64 delta;
    i64 lsu_last;
    i64 vcu_last;
    i64 transfer_last;
    u32 transfer_pad; /* a mask */
    MarkTime sum;     /* beyond the recording, up to here */
    bool held_sum;
} Price;

void engine_lane_cycles(const Machine *m, const Path *p) {
    for (i64 row = 0; row < p->event_count; row++) {
        const Event *e = &p->events[row];
        if (e->kind != EVENT_DIVIDE)
            continue;
        for (i64 k = e->x; k < e->x + e->count / 4; k++)
            p->lane_cycles[k] = (s32)lane_cycles(m, p->pairs[k].x, p->pairs[k].y, e->y);
    }
}

/* Busy cycles of a vector division, and those until its first write. */
static i64 divide_cycles(const Price *q, const Path *p, const Event *e, i64 *to_write) {
    const i64 end = e->x + e->count / 4;
    i64 busy = START_UP_CYCLES;
    for (i64 first = e->x; first < end; first += q->cfg->simd) {
        i64 slowest = 0;
        for (i64 k = first; k < least(first + q->cfg->simd, end); k++)
            slowest = most(slowest, p->lane_cycles[k]);
        busy += step_cycles(slowest);
        if (first == e->x)
            *to_write = busy - 1;
    }
    return busy;
}

/* Issue cycle of a vector instruction, which retries in every slot of its hart until its unit is
   free. */
static inline i64 after_tries(Price *q, i64 cycle) {
    const i64 late = q->vcu_last - cycle + 1;
    if (late < 0)
        return cycle;
    const i64 harts = q->cfg->harts;
    const i64 tries = (late >> 32 ? late / harts : (i64)((u32)late / (u32)harts)) + 1;
    q->sum.retries += tries;
    q->delta += tries * harts;
    return cycle + tries * harts;
}

static inline void price_vector(Price *q, const Path *p, const Event *e, i64 beat_shift) {
    const VectorKind *kind = vector_kind(q->m, e->op);
    const i64 cycle = after_tries(q, e->cycle + q->delta);
    if (e->count == 0)
        return;
    i64 to_write = kind->start_up, after_write;
    if (e->kind == EVENT_VECTOR)
        after_write = (e->count - 1) >> beat_shift;
    else
        after_write = divide_cycles(q, p, e, &to_write) - to_write - 1;
    const i64 free = q->transfer_last + 1;
    const i64 first_read = e->sources & q->transfer_pad ? most(cycle, free) : cycle;
    i64 first_write = first_read + to_write;
    if (e->target & q->transfer_pad && free > first_write) {
        first_write = free;
        if (kind->reduction && after_write > 0 && q->cfg->vcu.held_reduction_loses_beats)
            q->held_sum = true;
    }
    q->vcu_last = first_write + after_write;
}

/* A wait in decode until a unit busy up to `last` is idle. */
static inline i64 wait_for(Price *q, i64 *cause, i64 cycle, i64 last) {
    const i64 waited = most(last + 2 - cycle, 0);
    *cause += waited;
    q->delta += waited;
    return cycle + waited;
}

static inline void price_transfer(Price *q, const Event *e) {
    i64 cycle = wait_for(q, &q->sum.wait_lsu, e->cycle + q->delta, q->lsu_last);
    cycle = wait_for(q, &q->sum.wait_vcu, cycle, q->vcu_last);
    if (e->count == 0)
        return;
    const Speed speed = usual_speed(q->cfg);
    q->lsu_last = q->transfer_last = cycle + transfer_cycles(&speed, e->count, e->op);
    q->transfer_pad = e->target;
}

/* The issue cycle of a marked instruction, which may be an event itself and wait. */
static i64 mark_cycle(const Price *q, const Event *e, const Event *end) {
    i64 cycle = e->cycle + q->delta;
    const Event *next = e + 1;
    if (next == end || next->cycle != e->cycle)
        return cycle;
    if (next->kind == EVENT_MEMORY || next->kind == EVENT_TRANSFER)
        cycle = most(cycle, q->lsu_last + 2);
    if (next->kind == EVENT_TRANSFER)
        cycle = most(cycle, q->vcu_last + 2);
    return cycle;
}

i64 engine_retime(const Machine *m, Path *p) {
    Price q = {.m = m, .cfg = m->cfg, .lsu_last = LONG_AGO, .vcu_last = LONG_AGO,
               .transfer_last = LONG_AGO};
    const i64 beat_shift = __builtin_ctzll((u64)(4 * most(m->cfg->simd, 1)));
    const Event *end = p->events + p->event_count;
    for (const Event *e = p->events; e != end; e++) {
        switch (e->kind) {
        case EVENT_VECTOR:
        case EVENT_DIVIDE:
            price_vector(&q, p, e, beat_shift);
            break;
        case EVENT_TRANSFER:
            price_transfer(&q, e);
            break;
        case EVENT_MEMORY:
            wait_for(&q, &q.sum.wait_lsu, e->cycle + q.delta, q.lsu_last);
            break;
        case EVENT_DIVISION: {
            const i64 row = m->latency_of[e->op];
            const i64 more = operand_cycles(m, row, (u32)e->x, (u32)e->y, 0) - 1 - e->count;
            q.sum.division += more;
            q.delta += more;
            break;
        }
        case EVENT_MARK:
            p->times[e->count] = q.sum;
            p->times[e->count].cycle = mark_cycle(&q, e, end);
            break;
        }
    }
    p->held_sum = q.held_sum;
    return q.delta;
}
