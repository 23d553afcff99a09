/* Operand toggles: in how many bits each value on a bus differs from the one before it, by the
   instruction word that puts it there. What a gate-level energy table is multiplied with.

   Values come in the order of issue, whatever hart they are of: buses and units are shared. A vector
   instruction or a transfer puts all of its words there at its issue, word k on lane k modulo lanes;
   its operands are those that the scratchpads hold then, and of a reduction one word is written. Who
   only tries, sleeps, is discarded or has no result (nop, load to x0) puts nothing anywhere. A
   misaligned access that is split counts as one. */
#ifndef TOGGLES_H
#define TOGGLES_H
#include "engine.h"

static inline void put(Toggles *t, i64 bus, u32 *before, u32 value) {
    t->values[bus]++;
    t->toggles[bus] += __builtin_popcount(*before ^ value);
    *before = value;
}
static inline void put_on(Machine *m, i64 index, i64 bus, u32 value) {
    put(&m->toggles[index], bus, &m->buses[bus], value);
}

/* The registers that an instruction reads, and what they bring to the integer units. */
static inline void see_operands(Machine *m, i64 index, i64 o, u32 a, u32 b, u32 i, u32 pc) {
    const u32 reads = READS[o];
    if (reads & READS_RS1) put_on(m, index, BUS_RS1_READ, a);
    if (reads & READS_RS2) put_on(m, index, BUS_RS2_READ, b);
    switch (CLASS_OF[o]) {
    case CLASS_ALU:
    case CLASS_BRANCH:
        if (o == OP_LUI) return;
        put_on(m, index, BUS_ALU_A, o == OP_AUIPC ? pc : a);
        put_on(m, index, BUS_ALU_B, reads & READS_RS2 ? b : i);
        return;
    case CLASS_MUL:
    case CLASS_MULH:
        put_on(m, index, BUS_MULTIPLIER_A, a);
        put_on(m, index, BUS_MULTIPLIER_B, b);
        return;
    case CLASS_DIV:
        put_on(m, index, BUS_DIVIDER_A, a);
        put_on(m, index, BUS_DIVIDER_B, b);
    }
}
static inline void see_result(Machine *m, i64 index, const Entry *e, u32 value) {
    if (e->rd != SINK) put_on(m, index, BUS_WRITE_BACK, value);
}
static inline void see_load(Machine *m, i64 index, u32 address, u32 word) {
    put_on(m, index, BUS_ADDRESS, address);
    put_on(m, index, BUS_LOAD_DATA, word);
}
/* The value is in its byte lanes. */
static inline void see_store(Machine *m, i64 index, u32 address, u32 value) {
    put_on(m, index, BUS_ADDRESS, address);
    put_on(m, index, BUS_STORE_DATA, value);
}

/* ---- toggles.c: while m->toggles is there. `word`: of all scratchpads. */
void see_pad(Machine *m, i64 index, i64 word, bool written);
void see_pad_of(Machine *m, i64 index, i64 word, u32 value, bool written); /* not what it holds */
/* Operands of the lanes; a or b < 0: there is none, or it is the scalar, which is in a scratchpad
   if at_scalar >= 0. */
void see_lanes(Machine *m, i64 index, i64 o, i64 unit, i64 a, i64 b, i64 words, u32 scalar,
               i64 at_scalar);
#endif
