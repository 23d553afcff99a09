/* Waits of in-order cores for instructions whose results are not read: on register fields that are
   no operands, before a newer write, and for units (docs/method/inorder-timing.md). */
#include "fetch.h"

static const int FIELD_SHIFTS[] = {15, 20, 7}; /* rs1, rs2, rd */

i64 interlocks_end(const Machine *m, const Entry *e) {
    const State *const st = m->st;
    const u32 word = m->fields[e - m->decoded];
    i64 end = 0;
    for (i64 field = 0; field < 3; field++) {
        const u32 n = word >> FIELD_SHIFTS[field] & 31;
        if (!n || !st->ready[n]) continue;
        const i64 *const uses = m->uses + st->made_by[n] * USE_ROW;
        const i64 more = uses[1 + 3 * OP_COUNT + 3 * e->op + field];
        if (more) end = most(end, st->ready[n] - uses[0] + more - 1);
    }
    const Interlocks *const locks = m->interlocks;
    if (!locks) return end;
    for (u64 left = (u64)m->held[e->op]; left; left &= left - 1) {
        const i64 k = __builtin_ctzll(left);
        end = most(end, locks->ends[k] + locks->cycles[k]);
    }
    return end;
}

void note_end(Machine *m, i64 index, i64 end) {
    Interlocks *const locks = m->interlocks;
    for (u64 left = (u64)m->holding[m->decoded[index].op]; left; left &= left - 1) {
        const i64 k = __builtin_ctzll(left);
        locks->ends[k] = end;
        locks->last = most(locks->last, end + locks->cycles[k]);
    }
}
