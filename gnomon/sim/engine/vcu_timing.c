/* Cycles in which a vector instruction starts, writes first and ends.

   Source: the T13x RTL (tests/reference/t13x: 5508 rows of vector.csv, 245 of overlap.csv.xz where
   harts contend for functional units; residual 0). */
#include "vcu.h"

static const VectorKind KINDS[INSTRUCTION_COUNT] = {
    [OP_KADDV] = {.start_up = 4, .units = ADDER},
    [OP_KSUBV] = {.start_up = 4, .units = ADDER},
    [OP_KVMUL] = {.start_up = 4, .units = MULTIPLIER, .product = 1},
    [OP_KVRED] = {.start_up = 4, .units = ACCUMULATOR, .product = 1, .reduction = 1},
    [OP_KDOTP] = {.start_up = 6, .units = MULTIPLIER | ACCUMULATOR, .product = 1, .reduction = 1},
    [OP_KDOTPPS] = {.start_up = 8, .units = SHIFTER | MULTIPLIER | ACCUMULATOR, .product = 1,
                    .reduction = 1},
    [OP_KSVADDSC] = {.start_up = 4, .units = ADDER},
    [OP_KSVADDRF] = {.start_up = 4, .units = ADDER},
    [OP_KSVMULSC] = {.start_up = 4, .units = MULTIPLIER, .product = 1},
    [OP_KSVMULRF] = {.start_up = 4, .units = MULTIPLIER, .product = 1},
    [OP_KSRAV] = {.start_up = 4, .units = SHIFTER},
    [OP_KSRLV] = {.start_up = 4, .units = SHIFTER},
    [OP_KRELU] = {.start_up = 3, .units = COMPARATOR},
    [OP_KVSLT] = {.start_up = 5, .units = ADDER | COMPARATOR},
    [OP_KSVSLT] = {.start_up = 5, .units = ADDER | COMPARATOR},
    [OP_KBCAST] = {.start_up = 1},
    [OP_KVCP] = {.start_up = 4, .units = ADDER},
    [OP_KVDIV] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
    [OP_KSVDIVSC] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
    [OP_KSVDIVRF] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
    [OP_KVREM] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
    [OP_KSVREMSC] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
    [OP_KSVREMRF] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
    [OP_KVMULPS] = {.start_up = 4, .units = MULTIPLIER, .wide_only = 1},
    [OP_KSVMULPSSC] = {.start_up = 4, .units = MULTIPLIER, .wide_only = 1},
    [OP_KSVMULPSRF] = {.start_up = 4, .units = MULTIPLIER, .wide_only = 1},
    [OP_KVDIVPS] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
    [OP_KSVDIVPSSC] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
    [OP_KSVDIVPSRF] = {.units = DIVIDER, .divides = 1, .wide_only = 1},
};

_Static_assert(OP_LAST_KDSP + 1 == OP_FIRST_VECTOR_UNIT, "vector instructions are one range");
const VectorKind *vector_kind(const Machine *m, i64 o) {
    return unlikely(is_of_unit(o)) ? &vector_unit(m, o)->kind : &KINDS[o];
}

/* Bytes of the vector handled per cycle: 4 per lane, 2 per lane for byte products. */
i64 bytes_per_beat(const Machine *m, const VectorKind *kind, i64 type) {
    return (type == TYPE_8 && kind->product ? 2 : 4) * m->cfg->simd;
}

/* While a write waits, from its due cycle to the last one, the adder takes carries and complement
   of that hart if it has the higher number, regardless of its own operation
   (RTL-DSP_Unit.vhd, fsm_DSP_adder_stage_1, recover_state_wires). */
void watch_carries(State *st, const VectorKind *kind, i64 h, i64 cycle, const Times *t) {
    if (kind->units & ADDER) {
        st->adder_hart = h;
        st->adder_to = most(st->adder_to, t->last);
        if (st->held_hart > h && st->held_from <= t->last && st->held_to >= t->first_read + 2)
            st->warnings |= WARN_CARRY;
        return;
    }
    const i64 due = t->first_read + kind->start_up;
    if (t->first_write <= due)
        return;
    if (st->held_to < cycle) {
        st->held_from = due;
        st->held_hart = h;
    }
    st->held_from = least(st->held_from, due);
    st->held_hart = most(st->held_hart, h);
    st->held_to = most(st->held_to, t->last);
    if (st->adder_to >= due && st->adder_hart < h)
        st->warnings |= WARN_CARRY;
}

void void_issue(Machine *m, i64 h, i64 o, i64 cycle) {
    m->st->void_cycle = cycle;
    if (m->cfg->sharing == MULTITHREADED)
        request_units(m->st, m->cfg->harts, h, vector_kind(m, o)->units, cycle, 0, 0, 0, 0, false);
}

Times schedule(Machine *m, const VectorKind *kind, i64 unit, i64 cycle, i64 to_write,
               i64 after_write, u32 sources, i64 target) {
    State *st = m->st;
    i64 free = 0; /* first cycle after the transfer in flight, if it is of this accelerator */
    i64 spm = -1;
    if (st->transfer_units >> unit & 1) {
        free = st->transfer_last + 1;
        spm = st->transfer_spm;
    }
    const i64 read_free = spm >= 0 && sources >> spm & 1 ? free : 0;
    const i64 write_free = spm == target ? free : 0;
    Times t;
    if (m->cfg->sharing == MULTITHREADED) {
        t = request_units(st, m->cfg->harts, unit, kind->units, cycle, to_write, after_write,
                          read_free, write_free, true);
        t.first_write = most(t.first_read + to_write, write_free);
        return t;
    }
    t.first_read = most(cycle, read_free);
    t.first_write = most(t.first_read + to_write, write_free);
    t.last = t.first_write + after_write;
    st->vcu_last[unit] = t.last;
    return t;
}
