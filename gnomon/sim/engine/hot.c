/* Translated blocks: where they may run, and their accounting. */
#include "fetch.h"
#include "window.h"

/* At this distance from a limit the interpreter takes over: it executes the last instructions
   before the limit, and so sets all fields of the state about the last issue. */
#define MARGIN 512
/* A shorter run of blocks is slower than the interpreter; the next attempt is delayed, each time
   twice as long. */
#define SHORT_GO 48
#define LONGEST_PAUSE 4096

#define NOTHING_HERE 100000 /* cycles until the next check whether a hart is alone */

typedef struct SoloOfMachine {
    Solo solo;
    Machine *m;
} SoloOfMachine;

static i64 by_operands(Solo *solo, u32 index, u32 a, u32 b)
{
    Machine *const m = ((SoloOfMachine *)solo)->m;
    return book_operands(m, m->st->hart, index, a, b);
}

static i64 fetch_line(Solo *solo, u32 index, u32 by_branch, i64 took, u32 pc)
{
    Machine *const m = ((SoloOfMachine *)solo)->m;
    return line_wait(m, index, by_branch ? BRANCHES : GOES_ON, took, pc);
}

/* Undo the accounting of the rest of a block that was left before its word `part`. */
static void take_back(Machine *m, const Block *block, Solo *s, i64 *count, i64 h)
{
    const i64 rotation = m->cfg->harts;
    count_issues(m, h, block->start, s->part, 1);
    for (u32 k = s->part; k < block->length; k++)
        s->cycle -= rotation + m->decoded[block->start + k].extra;
    s->done -= block->length - s->part;
    count[s->block]--;
}

/* One hart awake. Returns the number of executed instructions. */
static i64 run_solo(Machine *m, Hot *hot, i64 limit)
{
    State *const st = m->st;
    const i64 h = st->hart;
    const Translation *const t = &hot->solo;
    SoloOfMachine both = {.m = m};
    Solo *const s = &both.solo;
    s->x = registers(m, h);
    s->ram = (u8 *)(m->ram + m->cfg->data_word0);
    s->count = t->counts + h * t->count;
    s->taken = t->taken + h * t->count;
    s->cycle = st->cycle;
    s->limit = limit;
    s->pc = (u32)m->hs[h].pc;
    s->enables = (u32)st->amo_enables;
    s->by_operands = by_operands;
    s->hart_state = hart_state(m, h);
    s->shared_state = m->unit_state;
    s->execute = &flow_of(m, h)->execute;
    s->lines = m->lines;
    s->data_lines = m->data_lines;
    s->refills = &dynamic(m, h, 0)->wait_dcache;
    s->fetch_line = fetch_line;
    ((SoloBlocks)t->blocks)(s);
    if (s->block != WHOLE) take_back(m, &((const Block *)t->table)[s->block], s, s->count, h);
    const i64 slots = s->done * m->cfg->harts;
    m->hs[h].own_extra += s->cycle - st->cycle - slots;
    m->hs[h].pc = s->pc;
    st->cycle = s->cycle;
    st->slots += slots;
    st->amo_enables = s->enables;
    m->acct[h].wait_dcache += s->refilled;
    if (m->fetch && s->done) {
        m->fetch->quiet = s->pc >> m->fetch->line_shift;
        m->fetch->waited = m->fetch->missed = 0; /* no run ends here */
    }
    return s->done;
}

void run_hot(Machine *m)
{
    State *const st = m->st;
    Hot *const hot = m->hot;
    const bool several = m->hs[st->hart].next != st->hart;
    const Translation *const t = several ? &hot->runner : &hot->solo;
    const i64 last = least(st->quantum_end, m->cfg->hard_limit);
    const i64 limit = least(last, st->event - 1) - most(MARGIN, hot->further);
    if (!t->blocks || st->exit_cycle >= 0 || st->cycle > limit || st->due < NEVER) {
        st->hot_from = st->cycle + (t->blocks ? MARGIN : NOTHING_HERE);
        return;
    }
    /* A single awake hart has its next slot after its own store has completed. */
    const i64 free_from = several ? st->lsu_last + 1 : st->lsu_last + 2;
    if (st->cycle < free_from) { /* a transfer */
        st->hot_from = free_from;
        return;
    }
    hot->lsu_busy = several && st->cycle == free_from;
    const i64 went = several ? run_windows(m, hot, limit) : run_solo(m, hot, limit);
    if (!several) hot->solo_instructions += went;
    if (went >= SHORT_GO) {
        hot->pause = 0;
        st->hot_from = 0;
        return;
    }
    hot->pause = hot->pause ? least(2 * hot->pause, LONGEST_PAUSE) : m->cfg->harts;
    st->hot_from = st->cycle + (hot->forced ? m->cfg->harts : hot->pause);
}

bool hot_is_stale(const Machine *m)
{
    for (i64 k = 0; k < m->hot->word_count; k++)
        if (m->table[m->hot->words[k]].op == OP_STALE) return true;
    return false;
}

static void fold(Machine *m, const Translation *t)
{
    const Block *const table = (const Block *)t->table;
    for (i64 h = 0; h < m->cfg->harts; h++) {
        for (i64 k = 0; k < t->count; k++) {
            i64 *const count = &t->counts[h * t->count + k];
            if (!*count) continue;
            const Block *const block = &table[k];
            count_issues(m, h, block->start, block->length, *count);
            *count = 0;
            i64 *const taken = &t->taken[h * t->count + k];
            if (!*taken) continue;
            const i64 branch = block->start + block->length - 1;
            book_execute(m, h, branch, *taken * m->cfg->branch_taken);
            m->acct[h].wait_fetch += *taken * m->cfg->taken_fetch;
            dynamic(m, h, branch)->wait_fetch += *taken * m->cfg->taken_fetch;
            *taken = 0;
        }
    }
}

void fold_hot(Machine *m)
{
    fold(m, &m->hot->solo);
    fold(m, &m->hot->runner);
}
