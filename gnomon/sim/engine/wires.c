/* The value of mbadaddr after a misaligned trap of the T13: not the address, but stray wires.

   Source: directed runs on the T13x RTL, repeated by `gnomon rtl klessydra`. One cycle after the
   issue of the trapping instruction the register takes the LSU's address wires. They belong to the
   next instruction in rotation if that has entered execute, else to the trapping one. After a
   retry they are those of the retried vector instruction. An offset is added for a valid load or
   store: with x0 or a reserved funct3 it never reaches the LSU. */
#include "rare.h"

enum { LOAD = 0x03, STORE = 0x23, AMO = 0x2F, KMEM = 0x0B };

static u32 rs1_of(const Machine *m, i64 h, u32 word) { return registers(m, h)[word >> 15 & 31]; }

u32 address_wires(const Machine *m, i64 h, u32 pc) {
    const State *st = m->st;
    const Config *cfg = m->cfg;
    const i64 k = (h - 1 + cfg->harts) % cfg->harts;
    if (m->hs[k].parked) return 0;
    const u32 offset = (u32)m->hs[k].pc - (u32)cfg->ibase;
    if (offset >= cfg->isize) return 0;
    const u32 word = (u32)m->ram[offset >> 2], opcode = word & 0x7F;
    const bool lsu_busy = st->lsu_last >= st->cycle;
    i64 any = st->vcu_last[0];
    for (i64 unit = 1; unit < cfg->harts; unit++) any = most(any, st->vcu_last[unit]);
    const bool vcu_busy = st->vcu_last[unit_of(m, k)] >= st->cycle;
    bool waits = lsu_busy && (opcode == LOAD || opcode == STORE || opcode == AMO || opcode == KMEM);
    waits |= vcu_busy && (opcode == AMO || opcode == KMEM);
    if (cfg->serial) waits |= lsu_busy || any >= st->cycle;
    if (waits) return rs1_of(m, h, (u32)m->ram[(pc - (u32)cfg->ibase) >> 2]);
    const Entry *e = &m->decoded[offset >> 2];
    switch (e->op) {
    case OP_LB: case OP_LH: case OP_LW: case OP_LBU: case OP_LHU:
    case OP_SB: case OP_SH: case OP_SW: return rs1_of(m, k, word) + (u32)e->imm;
    }
    return rs1_of(m, k, word);
}
