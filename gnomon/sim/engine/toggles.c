/* Toggles of register ports, scratchpads and lanes. */
#include "toggles.h"
#include "vcu.h"

#define OF_OPERATION 0xFE00707FU /* the bits of a word that select no register */
#define OPCODE_BITS 0x7FU
enum {
    LOAD_OPCODE = 0x03, ALU_OPCODE = 0x13, AUIPC_OPCODE = 0x17, STORE_OPCODE = 0x23,
    LUI_OPCODE = 0x37, BRANCH_OPCODE = 0x63, JALR_OPCODE = 0x67, JAL_OPCODE = 0x6F
};

/* Selects of the 31 multiplexers of a tree that reads one of 32 registers: bit k of the number of
   the register selects in 16 >> k of them. */
static u32 muxes_of(u32 number) {
    return (number & 1 ? 0x0000FFFFU : 0) | (number & 2 ? 0x00FF0000U : 0) |
           (number & 4 ? 0x0F000000U : 0) | (number & 8 ? 0x30000000U : 0) |
           (number & 16 ? 0x40000000U : 0);
}

/* The immediate of a word with its sign, in all bits. */
static void see_immediate(Machine *m, i64 index, u32 word) {
    const u32 sign = (u32)((s32)word >> 31);
    u32 value;
    switch (word & OPCODE_BITS) {
    case LOAD_OPCODE:
    case ALU_OPCODE:
    case JALR_OPCODE: value = sign << 11 | word >> 20; break;
    case STORE_OPCODE: value = sign << 11 | (word >> 25 & 63) << 5 | (word >> 7 & 31); break;
    case BRANCH_OPCODE:
        value = sign << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 7 & 30);
        break;
    case JAL_OPCODE:
        value = sign << 20 | (word & 0xFF000) | (word >> 20 & 1) << 11 | (word >> 20 & 0x7FE);
        break;
    case LUI_OPCODE:
    case AUIPC_OPCODE: value = word & 0xFFFFF000U; break;
    default: return;
    }
    put_on(m, index, BUS_IMMEDIATE, value);
}

static void see_fields(Machine *m, i64 index, u32 word) {
    put_on(m, index, BUS_RS1_SELECT, muxes_of(word >> 15));
    put_on(m, index, BUS_RS2_SELECT, muxes_of(word >> 20));
    put_on(m, index, BUS_RD_SELECT, muxes_of(word >> 7));
    put_on(m, index, BUS_OPERATION, word & OF_OPERATION);
    see_immediate(m, index, word);
}

/* The word after a branch that was taken: it has been fetched and decoded, too. */
static void see_skipped(Machine *m, i64 h, i64 index) {
    const i64 after = m->hs[h].seen_next;
    m->hs[h].seen_next = index + 1;
    if (!after || after == m->words || index == after || index == after - 1) return;
    if ((instruction_at(m, after - 1) & OPCODE_BITS) == BRANCH_OPCODE)
        see_fields(m, index, instruction_at(m, after));
}

/* Adders of a tree that sums the 16 rows of a product of 16 x 16 bits, three words to two. */
enum { HALF_ROWS = 16, TREE_WORDS = HALF_ROWS + 2 * (HALF_ROWS - 2) };

/* Rows and sums of the four trees of a product of a and b, in place of those from port[2] on: the
   bits in which they differ. The operands before are port[0] and port[1]. */
static void see_tree(Machine *m, i64 index, i64 bus, u32 *port, u32 a, u32 b) {
    Toggles *const t = &m->toggles[index];
    u32 *node = port + 2;
    t->values[bus]++;
    if (port[0] == a && port[1] == b) return;
    port[0] = a;
    port[1] = b;
    for (i64 part = 0; part < 4; part++) {
        const u32 x = port[0] >> 16 * (part & 1) & 0xFFFF, y = port[1] >> 16 * (part >> 1) & 0xFFFF;
        u32 words[TREE_WORDS];
        i64 count = HALF_ROWS, used = 0;
        for (i64 k = 0; k < HALF_ROWS; k++) words[k] = x >> k & 1 ? y << k : 0;
        for (; count - used > 2; used += 3) {
            const u32 p = words[used], q = words[used + 1], r = words[used + 2];
            words[count++] = p ^ q ^ r;
            words[count++] = ((p & q) | (p & r) | (q & r)) << 1;
        }
        for (i64 k = 0; k < TREE_WORDS; k += 2, node += 2) {
            const u64 high = node[1] ^ words[k + 1];
            t->toggles[bus] += __builtin_popcountll(high << 32 | (node[0] ^ words[k]));
            node[0] = words[k];
            node[1] = words[k + 1];
        }
    }
}

/* Decode reads registers by the fields of any word, whatever its operation. */
static void see_ports(Machine *m, i64 h, i64 index) {
    const u32 word = instruction_at(m, index), *const x = registers(m, h);
    u32 a = m->buses[BUS_RS1_READ], b = m->buses[BUS_RS2_READ];
    put_product(&m->toggles[index], BUS_PRODUCT, &a, &b, x[word >> 15 & 31], x[word >> 20 & 31]);
    see_tree(m, index, BUS_PRODUCT_SUMS, m->multipliers, x[word >> 15 & 31], x[word >> 20 & 31]);
    put_on(m, index, BUS_INSTRUCTION, word);
    see_fields(m, index, word);
    put_on(m, index, BUS_RS1_READ, x[word >> 15 & 31]);
    put_on(m, index, BUS_RS2_READ, x[word >> 20 & 31]);
    put_on(m, index, BUS_RD_READ, x[word >> 7 & 31]);
}

void see_multiplication(Machine *m, i64 index, i64 a, i64 b, bool high) {
    Toggles *const t = &m->toggles[index];
    u64 before = 0, sum = 0;
    for (i64 k = 0; k < (high ? 64 : 32); k++) {
        const u64 row = (u64)a >> k & 1 ? (u64)b << k : 0, next = sum + row;
        t->values[BUS_PARTIAL_SUM] += row != 0;
        t->toggles[BUS_PARTIAL_SUM] +=
            __builtin_popcountll(row ^ before) + __builtin_popcountll(next ^ sum);
        before = row;
        sum = next;
    }
}

void see_division(Machine *m, i64 index, u32 dividend, u32 divisor) {
    Toggles *const t = &m->toggles[index];
    u32 rest = dividend;
    for (i64 k = 31; k >= 0; k--)
        if ((u64)divisor << k <= rest) {
            t->toggles[BUS_REMAINDER] += __builtin_popcount(rest ^ (rest - (divisor << k)));
            rest -= divisor << k;
        }
    t->values[BUS_REMAINDER]++;
}

void see_issue(Machine *m, i64 h, i64 index) {
    const i64 harts = m->cfg->harts, last = m->st->issuer;
    if (last >= 0)
        for (i64 k = (last + harts - 1) % harts; k != h; k = (k + harts - 1) % harts)
            see_ports(m, k, entry_index(m, (u32)m->hs[k].pc));
    see_skipped(m, h, index);
    see_ports(m, h, index);
    m->st->issuer = h;
}

/* Each scratchpad has a bank, with a read and a write port, for every lane. */
void see_pad_of(Machine *m, i64 index, i64 word, u32 value, bool written) {
    const i64 each = m->cfg->spm_size >> 2, simd = m->cfg->simd;
    const i64 port = 2 * (word / each) + written, bank = word % each % simd;
    put(&m->toggles[index], written ? BUS_SCRATCHPAD_WRITE : BUS_SCRATCHPAD_READ,
        &m->pad_buses[port * simd + bank], value);
}
void see_pad(Machine *m, i64 index, i64 word, bool written) {
    see_pad_of(m, index, word, (u32)m->spm[word], written);
}

/* Operands at the ports of the multiplier of a lane: of every vector instruction, not only of those
   that multiply. An absent operand is 0; without a vector the first one stays. */
static void see_multiplier(Machine *m, i64 index, i64 lane, bool reads, u32 x, u32 y) {
    u32 *const port = m->multipliers + (1 + lane) * MULTIPLIER_WORDS;
    see_tree(m, index, BUS_LANE_MULTIPLIER, port, reads ? x : port[0], y);
}
/* Two bytes of a word, each in 16 bits: products of bytes take two beats a word. */
static u32 widened(u32 word, i64 half) {
    word >>= 16 * half;
    return (word & 0xFF00) << 8 | (word & 0xFF);
}

void see_lanes(Machine *m, i64 index, i64 o, i64 unit, i64 a, i64 b, i64 words, u32 scalar,
               i64 at_scalar, bool of_bytes, bool sums) {
    Toggles *const t = &m->toggles[index];
    const i64 simd = m->cfg->simd;
    u32 *const lanes = m->lane_buses + 4 * unit * simd;
    const i64 first = unit * simd;
    const bool scalar_b = READS[o] & READS_SCALAR ||
                          (is_of_unit(o) && vector_unit(m, o)->kind.own_b == OWN_SCALAR);
    if (at_scalar >= 0) see_pad(m, index, at_scalar, false);
    for (i64 k = 0; k < words; k++) {
        u32 *const lane = lanes + k % simd;
        const u32 x = a >= 0 ? (u32)m->spm[a + k] : scalar;
        const u32 y = b >= 0 ? (u32)m->spm[b + k] : scalar;
        if (a >= 0) see_pad(m, index, a + k, false);
        put(t, BUS_LANE_A, lane, x);
        if (b >= 0) see_pad(m, index, b + k, false);
        if (b >= 0 || scalar_b) put(t, BUS_LANE_B, lane + simd, y);
        if (READS[o] & MULTIPLIES)
            put_product(t, BUS_LANE_PRODUCT, lane + 2 * simd, lane + 3 * simd, x, y);
        const u32 second = b >= 0 || scalar_b ? y : 0;
        if (!of_bytes) see_multiplier(m, index, first + k % simd, a >= 0, x, second);
        for (i64 half = 0; of_bytes && half < 2; half++)
            see_multiplier(m, index, first + (2 * k + half) % simd, a >= 0, widened(x, half),
                           widened(second, half));
    }
    for (i64 k = 0; sums && k < simd; k++) /* what is beyond the length of a sum is 0 */
        see_multiplier(m, index, first + k, true, 0,
                       m->multipliers[(1 + first + k) * MULTIPLIER_WORDS + 1]);
}
