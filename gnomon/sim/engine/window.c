/* Several harts awake: running ahead, and rolling back. */
#include "window.h"
#include "ops.h"

#define WRITER_SHIFT 8
#define ALL_MAY_READ 0xFFu
#define SMALLEST_WINDOW 64
#define NEIGHBORS 64 /* bytes */

/* A single word, with the same journals as a block. */
static int single(const Machine *m, const Hot *hot, i64 h, Runner *r)
{
    const u32 index = (r->pc - (u32)m->cfg->ibase) >> 2;
    if (index >= m->words || r->pc & 3) return SLOW;
    const Entry *const e = &m->decoded[index];
    const i64 seen = m->table[index].op;
    if (seen != e->op && seen != OP_HOT) return SLOW;
    const u32 a = r->x[e->rs1], b = r->x[e->rs2], i = (u32)e->imm, pc = r->pc;
    const u32 length = 4;
    u32 value = 0, next = pc + length;
    bool writes = true;

    switch (e->op) {
#define RESULT(NAME, VALUE) case OP_##NAME: value = (u32)(VALUE); break;
    OPS_ALU(RESULT) OPS_MUL(RESULT) OPS_MULH(RESULT) OPS_DIV(RESULT)
#undef RESULT
#define BRANCH(NAME, TAKEN, TARGET) case OP_##NAME: \
        if (TAKEN) next = (u32)(TARGET); \
        writes = false; \
        break;
    OPS_BRANCH(BRANCH)
#undef BRANCH
#define JUMP(NAME, VALUE, TARGET) case OP_##NAME: \
        value = (u32)(VALUE); \
        next = (u32)(TARGET); \
        if (next & 3) return SLOW; \
        break;
    OPS_JUMP(JUMP)
#undef JUMP
/* A line without an owner gets the requesting hart as its owner. */
#define REACH(ADDRESS, SIZE, RIGHT) \
        const u32 o = (u32)(ADDRESS) - (u32)m->cfg->dbase; \
        if (o % SIZE || o >= m->cfg->dsize) return SLOW; \
        uint16_t *const tag = &r->tags[o >> hot->tag_shift]; \
        if (*tag == 0) *tag = (uint16_t)(r->may_read | r->may_write); \
        if (!(*tag & (RIGHT))) { \
            r->conflict = (o >> hot->tag_shift) + 1; \
            r->writes = (RIGHT) == r->may_write; \
            return CONFLICT; \
        }
#define LOAD(NAME, ADDRESS, SIZE, VALUE) case OP_##NAME: { \
        REACH(ADDRESS, SIZE, r->may_read) \
        u32 m = 0; \
        memcpy(&m, r->ram + o, SIZE); \
        value = (u32)(VALUE); \
        break; }
    OPS_LOAD(LOAD)
#undef LOAD
#define STORE(NAME, ADDRESS, SIZE, STORED) case OP_##NAME: { \
        REACH(ADDRESS, SIZE, r->may_write) \
        const u32 stored = (STORED); \
        r->undo->at = o & ~3u; \
        memcpy(&r->undo->was, r->ram + (o & ~3u), 4); \
        r->undo++; \
        memcpy(r->ram + o, &stored, SIZE); \
        writes = false; \
        break; }
    OPS_STORE(STORE)
#undef STORE
#undef REACH
    case OP_NOP:
    case OP_FENCE:
    case OP_FENCE_I:
        writes = false;
        break;
    default:
        if (!is_unit(e->op) || m->units[e->op - OP_FIRST_UNIT].shared) return SLOW;
        value = unit_result(m, h, e, r->x);
    }
    if (e->latency) *r->operands++ = (OperandPair){index, a, second_operand(e, b)};
    if (writes && e->rd != SINK) r->x[e->rd] = value;
    r->pc = next;
    r->done++;
    *r->trace++ = SINGLE | index;
    return RAN;
}

/* Run up to `limit` slots of the window; return why the hart stopped. */
static int advance(const Machine *m, const Hot *hot, Ahead *a, i64 limit)
{
    Runner *const r = &a->r;
    const RunnerBlocks blocks = (RunnerBlocks)hot->runner.blocks;
    const Block *const table = (const Block *)hot->runner.table;
    r->limit = limit;
    while (r->done < limit) {
        const u32 offset = r->pc - (u32)m->cfg->ibase;
        const i64 length = offset >> 2 < m->words && !(offset & 3) ? hot->lengths[offset >> 2] : 0;
        if (length && r->done + length <= limit) {
            blocks(r);
            if (r->block != WHOLE) { /* undo the part that was not executed */
                const Block *const block = &table[r->block];
                r->done -= block->length - r->part;
                r->trace--;
                for (u32 k = 0; k < r->part; k++) *r->trace++ = SINGLE | (block->start + k);
            }
            if (r->conflict) return CONFLICT;
            if (r->block == WHOLE || r->done == limit) continue;
        }
        /* No block begins here, or it no longer fits, or it cannot execute the next word. */
        const int why = single(m, hot, a->hart, r);
        if (why != RAN) return why;
    }
    return RAN;
}

static void begin(Ahead *a)
{
    a->pc = a->r.pc;
    memcpy(a->x, a->r.x, sizeof a->x);
    if (a->state_bytes) memcpy(a->state, a->r.hart_state, (size_t)a->state_bytes);
    a->r.done = 0;
    a->r.trace = a->trace;
    a->r.undo = a->undo;
    a->r.operands = a->operands;
    a->r.conflict = 0;
}

static void go_back(Ahead *a)
{
    for (const Undo *u = a->r.undo; u != a->undo;) {
        u--;
        memcpy(a->r.ram + u->at, &u->was, 4);
    }
    a->r.pc = a->pc;
    memcpy(a->r.x, a->x, sizeof a->x);
    if (a->state_bytes) memcpy(a->r.hart_state, a->state, (size_t)a->state_bytes);
    begin(a);
}

/* One window of at most *slots slots: afterwards all have executed *slots. Returns why it
   ended, and stores the hart that caused it. */
static int window(Machine *m, Hot *hot, Ahead *ahead, i64 harts, i64 *slots, i64 *who)
{
    int why = RAN;
    for (i64 j = 0; j < harts; j++) {
        begin(&ahead[j]);
        const int stood = advance(m, hot, &ahead[j], *slots);
        if (stood == RAN) continue;
        why = stood;
        *who = j;
        *slots = ahead[j].r.done;
        for (i64 k = 0; k < j; k++) {
            if (ahead[k].r.done == *slots) continue;
            hot->rollbacks++;
            go_back(&ahead[k]);
            advance(m, hot, &ahead[k], *slots);
        }
    }
    return why;
}

/* Give a hart the line before which it stopped. If a hart reads a line that another one owned, such
   as a table, soon all harts read it: then the lines around it change owners, too. */
static void change_hands(Hot *hot, const Runner *r)
{
    const u32 line = r->conflict - 1, around = NEIGHBORS >> hot->tag_shift;
    const uint16_t owner = hot->tags[line];
    hot->conflicts++;
    if (r->writes || !around) {
        hot->tags[line] = (uint16_t)(r->writes ? r->may_read | r->may_write : ALL_MAY_READ);
        return;
    }
    const u32 first = line & ~(around - 1);
    for (u32 k = first; k < first + around; k++)
        if (hot->tags[k] == owner) hot->tags[k] = ALL_MAY_READ;
}

i64 run_windows(Machine *m, Hot *hot, i64 limit)
{
    State *const st = m->st;
    Ahead ahead[MAX_HARTS];
    i64 harts = 0, worst = 0, total = 0;
    for (i64 h = st->hart; harts == 0 || h != st->hart; h = m->hs[h].next) {
        Ahead *const a = &ahead[harts];
        a->hart = h;
        a->gap = m->hs[h].gap;
        a->trace = hot->trace + harts * hot->journal;
        a->undo = (Undo *)hot->undo + harts * hot->journal;
        a->operands = (OperandPair *)hot->operands + harts * hot->journal;
        a->state_bytes = m->hart_state_bytes;
        a->state = hot->states + harts * a->state_bytes;
        a->r.hart_state = hart_state(m, h);
        a->r.x = registers(m, h);
        a->r.ram = (u8 *)(m->ram + m->cfg->data_word0);
        a->r.tags = hot->tags;
        a->r.may_read = 1u << h;
        a->r.may_write = 1u << WRITER_SHIFT << h;
        a->r.pc = (u32)m->hs[h].pc;
        worst += 2 + a->gap + hot->slowest; /* issue, and a wait for the LSU */
        harts++;
    }
    for (;;) {
        const i64 asked = least(hot->window, (limit - st->cycle) / worst);
        i64 slots = asked, who = 0;
        if (slots < 1) break;
        const int why = window(m, hot, ahead, harts, &slots, &who);
        if (slots) price_window(m, hot, ahead, harts, slots);
        total += slots;
        hot->runner_instructions += slots * harts;
        hot->windows++;
        if (why == SLOW) break;
        if (why == RAN) {
            hot->window = least(2 * hot->window, hot->largest_window);
            continue;
        }
        change_hands(hot, &ahead[who].r);
        hot->window = most(hot->window / 2, least(SMALLEST_WINDOW, hot->largest_window));
        if (slots == 0) break; /* two harts at one line in the same slot: interleave one step */
    }
    for (i64 j = 0; j < harts; j++) m->hs[ahead[j].hart].pc = ahead[j].r.pc;
    return total;
}
