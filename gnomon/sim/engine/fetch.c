/* Fetch of in-order cores: queue, branch predictor, instruction cache. The rules are those of
   docs/method/fetch.md. */
#include "fetch.h"

#define DECODE_HALVES 3 /* halfwords that decode holds */

static i64 halves_of(const Machine *m, i64 index) {
    return index < m->words ? m->decoded[index].at >> 1 : 2;
}
static i64 place(i64 word) { return word & (FETCH_WORDS - 1); }

/* ---- queue ---- */

/* Request the next word. A predicted branch that ends in it is followed by its target. */
static void request(Fetch *f, i64 cycle, bool first) {
    const i64 k = place(f->requested++);
    const i64 of_branch = f->branch ? f->branch - 1 : -1;
    const bool starts = f->predictor == PREDICTOR_ONE_ENTRY && !first && of_branch >> 2 == f->word;
    const bool odd = of_branch & 2, whole = f->branch_halves == 2;
    const bool ends = f->overhangs || (starts && !(odd && whole));
    f->accepted = most(most(cycle, f->granted_from), f->port_free) + (first ? f->target_delay : 0);
    f->port_free = f->accepted + f->interval + f->waits;
    f->data[k] = f->accepted + f->latency - 1 + f->waits;
    f->halves[k] = most(1, f->word_halves - (ends && odd == whole));
    f->overhangs = !ends && starts;
    f->word = ends ? f->target >> 2 : f->word + 1;
    f->word_halves = ends && f->target & 2 ? 1 : 2;
}

/* First cycle in which the next word can be requested; NEVER: after another has left the queue. */
static i64 next_request(const Fetch *f) {
    const i64 before = f->requested - f->queue; /* the word whose place it takes */
    if (before < 0) return f->accepted + 1;
    if (before >= f->taken_words) return NEVER;
    return most(f->accepted, f->left[place(before)]) + 1;
}

/* Move words that fit from the queue to decode. */
static void fill_decode(Fetch *f) {
    while (!f->by_instruction && f->taken_words < f->requested) {
        const i64 k = place(f->taken_words);
        if (f->level + f->halves[k] > DECODE_HALVES) return;
        f->left[k] = most(f->data[k], f->since);
        if (f->taken_words) f->left[k] = most(f->left[k], f->left[place(f->taken_words - 1)] + 1);
        f->level += f->halves[k];
        f->taken_words++;
    }
}

/* Make the requests of all cycles before `end`; `granted`: those that get the address bus before. */
static void request_until(Fetch *f, i64 end, bool granted) {
    for (;;) {
        fill_decode(f);
        const i64 cycle = next_request(f);
        if ((granted ? most(cycle, f->granted_from) : cycle) >= end) return;
        request(f, cycle, false);
    }
}

/* First cycle in which the next instruction is in decode, or can be. */
static i64 arrival(Fetch *f, i64 halves) {
    if (f->by_instruction) {
        i64 k = f->taken_words;
        for (i64 missing = f->level + halves;; k++) {
            if (k == f->requested) request(f, next_request(f), false);
            missing -= f->halves[place(k)];
            if (missing <= 0) return f->data[place(k)] + 1;
        }
    }
    for (fill_decode(f); f->level < halves; fill_decode(f)) request(f, next_request(f), false);
    i64 k = f->taken_words - 1;
    for (i64 beyond = f->level - halves; beyond >= f->halves[place(k)]; k--)
        beyond -= f->halves[place(k)];
    return f->left[place(k)] + 1;
}

/* The next instruction enters decode. */
static void enter(Fetch *f, i64 halves, i64 earliest) {
    f->entered = most(earliest, arrival(f, halves));
    if (!f->by_instruction) return;
    f->level += halves;
    while (f->taken_words < f->requested && f->level >= f->halves[place(f->taken_words)]) {
        f->level -= f->halves[place(f->taken_words)];
        f->left[place(f->taken_words++)] = f->entered - 1;
    }
}

/* Empty queue and decode, and request the word of a target. */
static void refetch(Fetch *f, i64 cycle, u32 target) {
    f->requested = f->taken_words = f->level = f->overhangs = 0;
    f->word = f->first_word = target >> 2;
    f->word_halves = target & 2 ? 1 : 2;
    request(f, cycle, true);
}

/* Before the first instruction, whose word has just arrived. */
static void start(const Machine *m, i64 index) {
    Fetch *const f = m->fetch;
    const u32 pc = (u32)m->cfg->ibase + ((u32)index << m->cfg->ishift);
    f->started = 1;
    const i64 cycle = -(f->latency + f->waits + f->target_delay);
    f->accepted = f->port_free = f->granted_from = cycle;
    f->since = cycle;
    refetch(f, cycle, pc);
    enter(f, halves_of(m, index), 0);
    f->entered = f->turn = 0;
}

/* Cycle in which an instruction that waits for no operand can first use a port. */
static i64 begins(const Fetch *f, i64 issue) {
    return f->memory_stage && issue == f->turn ? f->entered : issue;
}

/* `ends`: last cycle in execute, from the cycle on in which the instruction could use a port. */
static i64 queue_wait(Machine *m, i64 index, bool redirects, i64 ends, i64 end, u32 next_pc) {
    Fetch *const f = m->fetch;
    const i64 o = m->decoded[index].op, next = entry_index(m, next_pc);
    const i64 halves = halves_of(m, index);
    const i64 leaves = f->memory_stage && (is_load(o) || is_store(o)) ? end - f->data_waits : end;
    i64 cycle = redirects ? ends : NEVER;
    const bool stays = cycle < leaves; /* a redirect while the instruction is in decode */
    if (!f->by_instruction && !stays) {
        request_until(f, leaves - 1, true);
        f->level -= halves;
        f->since = leaves - 1;
    }
    if (redirects) {
        request_until(f, cycle, false);
        /* A request stays until it is accepted. */
        if (f->accepted >= cycle) cycle = f->accepted + 1;
        refetch(f, cycle, next_pc);
        if (!f->by_instruction) {
            f->since = stays && halves + f->halves[0] > DECODE_HALVES ? leaves - 1 : cycle;
            fill_decode(f);
            f->since = leaves - 1;
        }
    }
    enter(f, halves_of(m, next), leaves);
    f->turn = most(f->entered, end);
    return f->turn - end;
}

i64 port_issue(Machine *m, i64 index, i64 cycle, i64 limit) {
    Fetch *const f = m->fetch;
    const Entry *const e = &m->decoded[index];
    const u32 address = registers(m, 0)[e->rs1] + (u32)e->imm;
    const i64 o = e->op;
    const u32 bytes = o == OP_LW || o == OP_SW ? 4 : o == OP_LB || o == OP_LBU || o == OP_SB ? 1 : 2;
    if (address & (bytes - 1)) return cycle;
    if (!f->started) start(m, index);
    const i64 begin = begins(f, cycle);
    request_until(f, begin, true);
    const i64 accepted = most(begin, f->port_free), issue = most(cycle, accepted);
    if (issue <= limit) {
        f->granted_from = accepted + 1;
        f->port_free = accepted + f->interval + f->data_waits;
    }
    return issue;
}

/* ---- branch predictor ---- */

/* Whether a branch is predicted as taken. */
static bool predicts(const Machine *m, const Fetch *f, u32 pc, i64 index) {
    const i64 k = pc >> m->cfg->ishift & (f->entries - 1);
    switch (f->predictor) {
    case PREDICTOR_STATIC:
        return m->decoded[index].imm < 0;
    case PREDICTOR_ONE_ENTRY:
        return f->branch == (i64)pc + 1 && f->first_word != pc >> 2;
    case PREDICTOR_TABLE:
        return f->counters[k] >> (f->bits - 1) && (!f->tagged || f->pcs[k] == (i64)pc + 1);
    }
    return false;
}

static void learn(const Machine *m, Fetch *f, u32 pc, i64 index, bool taken, bool predicted) {
    const Entry *const e = &m->decoded[index];
    if (f->predictor == PREDICTOR_ONE_ENTRY) {
        if (predicted && !taken) f->branch = 0;
        if (taken && !predicted && e->imm < 0) {
            f->branch = (i64)pc + 1;
            f->branch_halves = halves_of(m, index);
            f->target = pc + (u32)e->imm;
        }
    } else if (f->predictor == PREDICTOR_TABLE) {
        const i64 k = pc >> m->cfg->ishift & (f->entries - 1), largest = (1 << f->bits) - 1;
        if (f->tagged && f->pcs[k] != (i64)pc + 1) {
            /* A branch that is taken gets the entry. */
            if (!taken) return;
            f->pcs[k] = (i64)pc + 1;
            f->counters[k] = (u8)(1 << (f->bits - 1));
            return;
        }
        f->counters[k] = (u8)(taken ? least(f->counters[k] + 1, largest)
                                    : most(f->counters[k] - 1, 0));
    }
}

/* ---- no queue ---- */

/* Wait states of a fetch: those of the memory, or of a line if there is a cache. */
static i64 fetch_waits(const Machine *m, u32 pc) {
    Fetch *const f = m->fetch;
    f->quiet = (i64)pc >> most(f->quiet_shift, 0);
    if (!f->ways) return f->waits;
    return use_line(m->lines, f->sets, f->ways, pc >> f->line_shift) ? 0 : f->refill;
}

/* Whether an instruction of 32 bits begins in the upper half of a word. */
static bool spans(const Machine *m, u32 pc) {
    return pc & 2 && halves_of(m, entry_index(m, pc)) == 2;
}

/* Wait for an instruction after the one before it in memory; `hidden`: wait states that are. */
static i64 next_wait(const Machine *m, u32 pc, i64 hidden) {
    const Fetch *const f = m->fetch;
    if (!f->keeps_half || !(pc & 2)) return most(0, fetch_waits(m, pc) - hidden);
    return spans(m, pc) ? f->split_next + f->waits : 0;
}

/* `first`: the address that was fetched before the outcome of a branch was known. */
static i64 plain_wait(Machine *m, i64 kind, bool redirects, i64 hidden, u32 first, u32 next_pc) {
    const Fetch *const f = m->fetch;
    const bool branches = kind == BRANCHES || kind == BRANCHES_NOT;
    const bool again = branches && redirects && f->taken_fetches;
    const bool jumps = redirects && kind != TRAPS && kind != GOES_ON;
    i64 waits = f->always;
    if (jumps && !again) waits += most(0, fetch_waits(m, next_pc) - hidden);
    else waits += next_wait(m, again ? first : next_pc, hidden);
    if (redirects) waits += f->redirect;
    for (i64 k = 0; again && k < f->taken_fetches; k++) waits += fetch_waits(m, next_pc);
    if (!jumps || m->cfg->ishift != 1) return waits;
    const i64 second = f->keeps_half ? f->waits : 0;
    const i64 target = spans(m, next_pc) ? f->split_target + second : 0;
    const bool twice = again && f->split_again && second && next_pc & 2;
    if (twice && !(first & 2) && spans(m, first + 2)) waits += f->split_again + f->waits + target;
    return waits + target;
}

/* ---- after each instruction ---- */

i64 kind_of_transition(const Machine *m, i64 index, i64 end) {
    const i64 o = m->decoded[index].op;
    if (m->st->trap_end == end) return TRAPS;
    if (is_jump(o) || o == OP_MRET) return JUMPS;
    return is_branch(o) ? BRANCHES : GOES_ON;
}

/* Account for waits for lines of the cache. */
static void book_misses(Machine *m, i64 index, i64 cycles) {
    m->fetch->missed = cycles;
    m->acct[0].wait_icache += cycles;
    dynamic(m, 0, index)->wait_icache += cycles;
}

i64 line_wait(Machine *m, i64 index, i64 kind, i64 took, u32 next_pc) {
    Fetch *const f = m->fetch;
    const Entry *const e = &m->decoded[index];
    const bool traps = kind == TRAPS;
    if (e->op == OP_FENCE_I && !traps)
        memset(m->lines, 0, (size_t)(f->ways * f->sets) * sizeof *m->lines);
    const i64 hidden = m->hides[e->op] && !traps ? most(0, took - f->prefetch) : 0;
    const bool again = kind == BRANCHES && f->taken_fetches;
    const u32 first = again ? (u32)m->cfg->ibase + 4 * (u32)(index + 1) : next_pc;
    i64 wait = most(0, fetch_waits(m, first) - hidden);
    if (again) wait += fetch_waits(m, next_pc); /* the line is there if it is fetched again */
    f->waited = wait;
    book_misses(m, index, wait);
    return wait;
}

i64 fetch_next(Machine *m, i64 index, i64 kind, i64 issue, i64 took, u32 next_pc) {
    Fetch *const f = m->fetch;
    const Entry *const e = &m->decoded[index];
    const u32 pc = (u32)m->cfg->ibase + ((u32)index << m->cfg->ishift);
    const u32 after = pc + e->at, target = pc + (u32)e->imm;
    const bool fence = e->op == OP_FENCE_I && kind != TRAPS; /* an interrupt can replace it */
    bool redirects = kind == JUMPS || kind == TRAPS || fence || m->restarts[e->op];
    u32 first = next_pc;
    i64 more = 0;
    if (!f->started) {
        if (f->queue) start(m, index);
        else f->started = 1, fetch_waits(m, pc);
    }
    if (kind == BRANCHES || kind == BRANCHES_NOT) {
        const bool taken = kind == BRANCHES, predicted = predicts(m, f, pc, index);
        const bool wrong = taken != predicted;
        more = wrong ? (taken ? f->taken : f->miss) : taken ? f->hit : 0;
        book_execute(m, 0, index, more);
        learn(m, f, pc, index, taken, predicted);
        first = predicted ? target : after;
        /* Decode predicts unless the prediction comes with the word. */
        redirects = wrong || (taken && f->queue && f->predictor != PREDICTOR_ONE_ENTRY);
        if (taken && !wrong) f->first_word = -1;
    }
    if (kind == TRAPS || fence) {
        f->branch = 0;
        if (fence && f->ways) memset(m->lines, 0, (size_t)(f->ways * f->sets) * sizeof *m->lines);
    }
    i64 wait;
    if (f->queue) {
        const i64 begin = kind == TRAPS ? issue : begins(f, issue), cycles = took + more;
        const i64 early = kind == TRAPS ? 0 : overlap(f, e->op, issue, cycles);
        book_execute(m, 0, index, -early);
        more -= early;
        wait = queue_wait(m, index, redirects, begin + cycles - 1, issue + cycles - early, next_pc);
    } else {
        const bool hides = m->hides[e->op] && kind != TRAPS;
        wait = plain_wait(m, kind, redirects, hides ? most(0, took - f->prefetch) : 0, first,
                          next_pc);
        if (redirects) f->first_word = next_pc >> 2;
    }
    if (m->interlocks && kind != TRAPS) note_end(m, index, issue + took + more);
    f->waited = wait;
    if (f->ways) book_misses(m, index, wait - f->always - (redirects ? f->redirect : 0));
    m->acct[0].wait_fetch += wait - f->missed;
    dynamic(m, 0, index)->wait_fetch += wait - f->missed;
    return more + wait;
}
