/* The wait for the next instruction on in-order cores with a fetch queue, a branch predictor or an
   instruction cache (docs/method/fetch.md). */
#ifndef FETCH_H
#define FETCH_H
#include "engine.h"

/* How an instruction continues. */
enum { GOES_ON, JUMPS, BRANCHES, BRANCHES_NOT, TRAPS };
/* The same by the names in the loop. */
#define TRANSITION_ GOES_ON
#define TRANSITION_ALU GOES_ON
#define TRANSITION_JUMP JUMPS
#define TRANSITION_TAKEN BRANCHES
#define TRANSITION_BRANCH BRANCHES_NOT

/* Cycles in execute of an instruction that pass during the wait states of the load or store before
   it, in `memory_stage`. */
static inline i64 overlap(const Fetch *f, i64 o, i64 issue, i64 cycles) {
    if (!f->memory_stage || issue != f->turn) return 0;
    if (is_load(o) || is_store(o) || is_vector(o) || is_transfer(o)) return 0;
    return least(f->turn - f->entered, cycles - 1);
}

/* ---- interlocks.c: waits for instructions whose results are not read. */
/* First cycle in which an instruction, of `decoded`, can issue. */
i64 interlocks_end(const Machine *m, const Entry *e);
/* An instruction has ended. */
void note_end(Machine *m, i64 index, i64 end);

i64 kind_of_transition(const Machine *m, i64 index, i64 end);

/* Account for the fetch after an instruction that issued in `issue` and took `took` cycles, without
   those that a taken or predicted branch adds. Returns the cycles until the next one can issue,
   beyond `took`. */
i64 fetch_next(Machine *m, i64 index, i64 kind, i64 issue, i64 took, u32 next_pc);

/* Whether the next word in memory changes nothing of the fetch, and waits as long as all such: it is
   in the line that was used last, or there is no cache. Then fetch_next need not be called. */
static inline bool fetches_quietly(const Fetch *f, u32 next_pc) {
    return f->quiet_shift >= 0 && (i64)next_pc >> f->quiet_shift == f->quiet;
}
static inline i64 steady_wait(Machine *m, i64 index) {
    Fetch *const f = m->fetch;
    f->waited = f->steady;
    f->missed = 0;
    if (f->steady) {
        m->acct[0].wait_fetch += f->steady;
        dynamic(m, 0, index)->wait_fetch += f->steady;
    }
    return f->steady;
}

/* The same on a core with `lined`, of the waits for lines of the instruction cache alone. `took`:
   without static waits for the next instruction. */
i64 line_wait(Machine *m, i64 index, i64 kind, i64 took, u32 next_pc);

/* Words from an instruction to the next line. */
static inline i64 words_to_border(const Fetch *f, u32 pc) {
    const u32 bytes = 1u << f->line_shift;
    return (bytes - (pc & (bytes - 1)) + 3) >> 2;
}

/* With one port for instructions and data: issue cycle of a load or store that could issue in
   `cycle`. Unless that is beyond the limit, it gets the port. A misaligned one traps without it. */
i64 port_issue(Machine *m, i64 index, i64 cycle, i64 limit);

/* ---- cache.c */
/* Make a line the last used of its set, by its number; whether the set has held it. */
static inline bool use_line(i64 *lines, i64 sets, i64 ways, i64 number) {
    return use_tag(lines + (number & (sets - 1)) * ways, ways, number + 1);
}
/* Whether a line is the last used of its set. */
static inline bool is_last_used(const i64 *lines, i64 sets, i64 ways, i64 number) {
    return lines[(number & (sets - 1)) * ways] == number + 1;
}
/* The cached addresses with this one; NULL: it is not cached. */
static inline const CachedSpan *cached_span(const Machine *m, u32 address) {
    const CachedSpan *const end = m->cached + m->dcache->spans;
    for (const CachedSpan *span = m->cached; span < end; span++)
        if (address - (u32)span->base < span->size) return span;
    return NULL;
}
/* Use the line of a load, by its number, and account for its refill; returns that. */
i64 refill_wait(Machine *m, i64 index, const CachedSpan *span, i64 number);
/* Account for the wait states of a load at an address; returns those beyond its static cycles. */
i64 load_wait(Machine *m, i64 index, u32 address);
/* The same of the first access of a load within cached addresses. */
static inline i64 cached_load_wait(Machine *m, const CachedSpan *span, i64 index, u32 address) {
    const DataCache *const c = m->dcache;
    const i64 number = address >> c->line_shift;
    if (c->waits) book_execute(m, 0, index, -c->waits);
    if (likely(is_last_used(m->data_lines, c->sets, c->ways, number))) return -c->waits;
    return refill_wait(m, index, span, number) - c->waits;
}
#endif
