/* Several harts awake: the cycles of a window, from the journals of each hart. */
#include "window.h"

typedef struct Masks {
    u64 stores[MASK_WORDS]; /* bit = slot of the window */
    u64 accesses[MASK_WORDS];
} Masks;

static inline u32 index_at(const Block *table, u32 step, i64 within)
{
    return step & SINGLE ? step & ~SINGLE : table[step].start + (u32)within;
}

static inline u32 length_of(const Block *table, u32 step)
{
    return step & SINGLE ? 1 : table[step].length;
}

/* Count `times` executions of one step of a journal; returns the static cycles in execute that they
   take beyond one per slot. */
static i64 book(const Machine *m, Hot *hot, i64 h, u32 step, i64 times)
{
    if (step & SINGLE) {
        const u32 index = step & ~SINGLE;
        count_issues(m, h, index, 1, times);
        return times * m->decoded[index].extra;
    }
    hot->runner.counts[h * hot->runner.count + step] += times;
    return times * ((const Block *)hot->runner.table)[step].extra;
}

/* Count what a hart has executed, and lay its loads and stores out by slot. Returns its static
   cycles in execute beyond one per slot. */
static i64 lay_out(const Machine *m, Hot *hot, const Ahead *a, Masks *masks)
{
    const Block *const table = (const Block *)hot->runner.table;
    u64 stores = 0, accesses = 0, new_stores = 0, new_accesses = 0;
    u64 *s = masks->stores, *l = masks->accesses;
    u32 place = 0, length = 1, last = WHOLE;
    i64 extra = 0, times = 0;
    for (const u32 *step = a->trace; step != a->r.trace; step++, times++) {
        if (*step != last) { /* a loop is the same step repeatedly */
            if (times) extra += book(m, hot, a->hart, last, times);
            times = 0;
            last = *step;
            if (last & SINGLE) {
                const i64 o = m->decoded[last & ~SINGLE].op;
                new_stores = is_store(o);
                new_accesses = new_stores | is_load(o);
                length = 1;
            } else {
                new_stores = table[last].stores;
                new_accesses = table[last].accesses;
                length = table[last].length;
            }
        }
        stores |= new_stores << place;
        accesses |= new_accesses << place;
        place += length;
        if (place >= 64) {
            *s++ = stores;
            *l++ = accesses;
            place -= 64;
            /* The rest; no block is longer than 63 words. */
            stores = new_stores >> (length - place);
            accesses = new_accesses >> (length - place);
        }
    }
    *s = stores;
    *l = accesses;
    return extra + book(m, hot, a->hart, last, times);
}

/* Word of the journal's `slot`-th slot; *step and *at store its place. */
static u32 word_of_slot(const Block *table, const u32 **step, i64 *at, i64 slot)
{
    while (*at + length_of(table, **step) <= slot) *at += length_of(table, *(*step)++);
    return index_at(table, **step, slot - *at);
}

/* Account for one wait for the LSU at every slot of a mask. */
static i64 book_waits(Machine *m, const Block *table, const Ahead *a, const u64 *waits, i64 words)
{
    const u32 *step = a->trace;
    i64 at = 0, sum = 0;
    for (i64 k = 0; k < words; k++)
        for (u64 left = waits[k]; left; left &= left - 1) {
            const i64 slot = 64 * k + __builtin_ctzll(left);
            dynamic(m, a->hart, word_of_slot(table, &step, &at, slot))->wait_lsu++;
            sum++;
        }
    m->acct[a->hart].wait_lsu += sum;
    /* The cycles belong to the hart whose instruction is still in execute: the one before. */
    m->hs[(a->hart + 1) % m->cfg->harts].charged += sum;
    return sum;
}

/* Byte enables of the last load or store of all, which a later amoswap may use. */
static void last_enables(Machine *m, const Block *table, const Ahead *ahead, const Masks *masks,
                         i64 harts, i64 words)
{
    i64 last = -1, of = 0;
    for (i64 j = 0; j < harts; j++)
        for (i64 k = words - 1; k >= 0; k--)
            if (masks[j].accesses[k]) {
                const i64 slot = 64 * k + 63 - __builtin_clzll(masks[j].accesses[k]);
                if (slot >= last) {
                    last = slot;
                    of = j;
                }
                break;
            }
    if (last < 0) return;
    const u32 *step = ahead[of].trace;
    i64 at = 0;
    const i64 o = m->decoded[word_of_slot(table, &step, &at, last)].op;
    m->st->amo_enables = o == OP_LW || o == OP_SW ? 15
                         : o == OP_LH || o == OP_LHU || o == OP_SH ? 3 : 1;
}

/* Account for cycles that depend on operands; returns them. */
static i64 book_all_operands(Machine *m, const Ahead *a)
{
    i64 sum = 0;
    for (const OperandPair *d = a->operands; d != a->r.operands; d++)
        sum += book_operands(m, a->hart, d->index, d->a, d->b);
    return sum;
}

void price_window(Machine *m, Hot *hot, Ahead *ahead, i64 harts, i64 slots)
{
    const Block *const table = (const Block *)hot->runner.table;
    State *const st = m->st;
    Masks masks[MAX_HARTS];
    const i64 words = (slots + 63) >> 6;
    for (i64 j = 0; j < harts; j++) {
        const i64 extra = lay_out(m, hot, &ahead[j], &masks[j]) + book_all_operands(m, &ahead[j]);
        m->hs[ahead[j].hart].own_extra += extra;
        st->cycle += extra + slots * (1 + ahead[j].gap);
        st->slots += slots * (1 + ahead[j].gap);
    }
    last_enables(m, table, ahead, masks, harts, words);
    /* A load or store waits one cycle right after a store; the first one also for earlier work of
       the LSU. Waits of hart j need the stores of the previous hart. */
    const Ahead *const end = &ahead[harts - 1];
    const u64 *const last_stores = masks[harts - 1].stores;
    u64 carry = hot->lsu_busy;
    for (i64 k = 0; k < words; k++) {
        u64 before = carry | (end->gap == 0 ? last_stores[k] << 1 : 0);
        carry = end->gap == 0 ? last_stores[k] >> 63 : 0;
        for (i64 j = 0; j < harts; j++) {
            masks[j].accesses[k] &= before;
            before = ahead[j].gap == 0 ? masks[j].stores[k] : 0;
        }
    }
    for (i64 j = 0; j < harts; j++)
        st->cycle += book_waits(m, table, &ahead[j], masks[j].accesses, words);
    const i64 final = slots - 1;
    hot->lsu_busy = end->gap == 0 && (last_stores[final >> 6] >> (final & 63) & 1);
    if (hot->lsu_busy) st->lsu_last = st->cycle - 1;
}
