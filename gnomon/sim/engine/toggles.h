/* Operand toggles: in how many bits each value on a bus differs from the one before it, by the
   instruction word that puts it there. Gate-level energy tables price them.

   Values are in the order of issue, for all harts together: buses and units are shared. The
   instruction, its fields that select registers, its other bits (operation), the read ports of the
   registers, their product and its sums change at every issue, tries and the slots of sleeping harts
   included, and so does the immediate, if the word has one. Other values of an instruction change
   only if it has an effect: not if it is only retried, sleeps, is discarded or has no result (nop,
   load to x0). A select counts as the multiplexers of a tree that it drives; the word after a taken
   branch also puts its selects, its operation and its immediate there.
   A vector instruction or a transfer puts all of its words on the buses at its issue, word k on
   lane k modulo lanes; its operands are the current words of the scratchpads, and a reduction
   writes one word. A misaligned access that is split counts as one. */
#ifndef TOGGLES_H
#define TOGGLES_H
#include "engine.h"

static inline void put(Toggles *t, i64 bus, u32 *before, u32 value) {
    t->values[bus]++;
    t->toggles[bus] += __builtin_popcount(*before ^ value);
    *before = value;
}
/* Partial products a[i] b[j], a bit of one by a bit of the other, that differ from those before. */
static inline void put_product(Toggles *t, i64 bus, u32 *a, u32 *b, u32 x, u32 y) {
    const i64 before = (i64)__builtin_popcount(*a) * __builtin_popcount(*b);
    const i64 now = (i64)__builtin_popcount(x) * __builtin_popcount(y);
    const i64 both = (i64)__builtin_popcount(*a & x) * __builtin_popcount(*b & y);
    t->values[bus]++;
    t->toggles[bus] += before + now - 2 * both;
    *a = x;
    *b = y;
}
static inline void put_on(Machine *m, i64 index, i64 bus, u32 value) {
    put(&m->toggles[index], bus, &m->buses[bus], value);
}

/* Rows and partial sums of a multiplication bit by bit, from the lowest bit of `a` on: the bits in
   which they differ. Rows are `b` or 0. A value is one row. High products take 64 bits. */
void see_multiplication(Machine *m, i64 index, i64 a, i64 b, bool high);
/* Remainders of a division bit by bit, from the dividend on: the bits in which they differ. */
void see_division(Machine *m, i64 index, u32 dividend, u32 divisor);
static inline u32 without_sign(u32 value, bool with_sign) {
    return with_sign && value >> 31 ? 0U - value : value;
}

/* Operands that an instruction sends to the integer units. */
static inline void see_operands(Machine *m, i64 index, i64 o, u32 a, u32 b, u32 i, u32 pc) {
    const u32 reads = READS[o];
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
        see_multiplication(m, index, o == OP_MULH || o == OP_MULHSU ? (s32)a : (i64)a,
                           o == OP_MULH ? (s32)b : (i64)b, o != OP_MUL);
        return;
    case CLASS_DIV:
        put_on(m, index, BUS_DIVIDER_A, a);
        put_on(m, index, BUS_DIVIDER_B, b);
        const bool with_sign = o == OP_DIV || o == OP_REM;
        see_division(m, index, without_sign(a, with_sign), without_sign(b, with_sign));
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

/* ---- toggles.c: while m->toggles is set. */
/* The slots of harts asleep since the last issue, then this one. */
void see_issue(Machine *m, i64 h, i64 index);
/* `word`: of all scratchpads. */
void see_pad(Machine *m, i64 index, i64 word, bool written);
void see_pad_of(Machine *m, i64 index, i64 word, u32 value, bool written); /* given value */
/* Operands of the lanes; a or b < 0: absent, or the scalar, which is in a scratchpad
   if at_scalar >= 0. of_bytes: it multiplies or sums bytes; sums: the result is one word. */
void see_lanes(Machine *m, i64 index, i64 o, i64 unit, i64 a, i64 b, i64 words, u32 scalar,
               i64 at_scalar, bool of_bytes, bool sums);
#endif
