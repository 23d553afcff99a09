/* The loop over instructions: function and timing of one instruction per turn.

   Included by loop.c with LOOP (the name of the function), TOGGLING (operand toggles are counted,
   see toggles.h), SEVERAL (harts take turns in strict rotation; else one is awake and the slots of
   the others pass in one addition), INORDER (timing from a table, waits for results; else the T13
   with its LSU), FETCHED (the wait for the next instruction is computed after each one) and LINED
   (it depends on lines of caches alone). handlers.h has the labels of the instructions, to which it
   jumps.

   CYCLE is the issue cycle that the next instruction has if nothing stalls it. Let an instruction
   enter execute in cycle I and take b extra cycles: the next one in rotation enters in c + 1, where
   c >= I + b is the first cycle in which decode does not wait for the LSU or its vector unit.
   Source: the T13x RTL (scalar.csv and the issue traces of tests/reference/t13x).

   With one hart awake, straight-line code needs no accounting: each entry holds its distance from
   the first one in static cycles (`at`), so the cycle is `base` plus this distance. A jump moves
   the base, and counts where one straight run ends and the next begins. The limit, too, is checked
   only when the base moves. While one straight pass through the whole program could reach the
   limit, or an operand is not ready that an instruction would wait for, the table of labels sends
   every instruction through `careful`. straight.h and turns.h have the two kinds of accounting.

   With `one` the loop returns after the first instruction, and executes a marked one. */

static i64 LOOP(Machine *const m, i64 limit, const bool one) {
#define LABEL(NAME, ...) [OP_##NAME] = &&l_##NAME,
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
    static const void *const plain[OP_COUNT] = {
        [0 ... OP_COUNT - 1] = &&l_slow,
#if SEVERAL
        [OP_FIRST_KDSP ... OP_LAST_VECTOR_UNIT] = &&l_vector,
#endif
        OPS_ALU(LABEL) OPS_MUL(LABEL) OPS_MULH(LABEL) OPS_DIV(LABEL) OPS_LOAD(LABEL)
        OPS_STORE(LABEL) OPS_BRANCH(LABEL) OPS_JUMP(LABEL)
        [OP_NOP] = &&l_nothing, [OP_FENCE] = &&l_nothing, [OP_FENCE_I] = &&l_fence_i,
        [OP_STALE] = &&l_stale, [OP_HOT] = &&l_hot, [OP_MARKED] = &&l_marked, [OP_WATCHED] = &&l_watched,
        [OP_WATCHED_MARKED] = &&l_marked, [OP_NO_FETCH] = &&l_no_fetch,
    };
#pragma GCC diagnostic pop
#undef LABEL
#if !SEVERAL
    static const void *const wary[OP_COUNT] = {[0 ... OP_COUNT - 1] = &&careful};
    const void *const *labels = wary;
#endif
    const Config *const cfg = m->cfg;
    State *const st = m->st;
    const Entry *const table = m->table, *const end = table + m->words;
    u8 *const ram = (u8 *)(m->ram + cfg->data_word0);
    const u32 ibase = (u32)cfg->ibase, dbase = (u32)cfg->dbase;
    /* While requests are recorded or counted, or a device accesses the memory, slow steps execute
       them. */
    const bool slowly = (cfg->bus && cfg->tracing) || st->counting || st->due < NEVER;
    const u32 dsize = slowly ? 0 : (u32)cfg->dsize;
    /* Other parts of the memory, in which toggles are not counted inline. */
    const bool far = !TOGGLING && m->window_count && !slowly;
    const bool serial = cfg->serial;
    const Latency *const latencies = m->latencies;
    const u32 misaligned = cfg->core.fetch_ignores_alignment ? 0 : (1 << SHIFT) - 1;
    i64 lsu_last = st->lsu_last, stop = STOP_QUANTUM;
    i64 fence = one ? -1 : limit; /* where to return */
    u32 enables = (u32)st->amo_enables, npc;
    i64 b;
    /* The state holds whether the last instruction waited or jumped. */
    i64 waited_to = st->last_wait ? st->cycle : -1;
#if INORDER
    const i64 *const uses = m->uses;
    i64 operand_waited_to = st->operand_wait ? st->cycle : -1;
    i64 ready_last = st->ready_last, jumped_to = st->jumped ? st->cycle : -1;
#endif

#if SEVERAL
    Lane lanes[MAX_HARTS], *lane = lanes + st->hart, *last_lane = NULL;
    for (i64 k = 0; k < cfg->harts; k++) open_lane(m, k, &lanes[k], &lanes[m->hs[k].next]);
    i64 cycle = st->cycle, beyond = cycle - st->slots; /* cycles so far outside slots */
    const Entry *last = NULL;
    uintptr_t flow = lane->flow;
#else
    Lane only, *const lane = &only;
    const i64 h = st->hart;
    open_lane(m, h, lane, lane);
    i64 step = lane->step;
    /* The straight run: its start, its origin (NULL: the start of this call), instructions before
       it. Slots of those before, and cycles with an empty execute stage. */
    const Entry *start = lane->e, *from = NULL;
    i64 base = st->cycle - AT(start), ran = 0, slots = st->slots;
    i64 waits = st->cycle - slots - lane->busy;
    i64 room = fence - MOST_AT; /* of the base */
    const uintptr_t flow = lane->flow;
#endif
    const Entry *e = lane->e;
    u32 *x = lane->x;
    /* After an odd pc every jump takes the slow way, which recomputes the whole pc. */
    const u32 reach = lane->pc_base == ibase ? (u32)m->words : 0;
    bool irq = false;
#if LINED
    LINES_OF_LOOP
#endif

#define INDEX (e - table)
#define PC (lane->pc_base + ((u32)INDEX << SHIFT))
#define STRANGE(to) is_strange((to), reach, SHIFT)
#define OPERANDS const u32 a = x[e->rs1], b = x[e->rs2], i = (u32)e->imm, pc = PC; \
    (void)a, (void)b, (void)i, (void)pc;

#if TOGGLING || FETCHED || LINED
    Machine *const seen = m; /* the handlers of loads have another m */
#endif
#if TOGGLING
#define SEE_OPERANDS(NAME) see_issue(seen, HART, INDEX); see_operands(seen, INDEX, OP_##NAME, a, b, i, pc);
#define SEE_BRANCH(NAME) see_issue(seen, HART, INDEX); see_operands(seen, INDEX, OP_##NAME, a, b, 0, 0);
#define SEE_RESULT see_result(seen, INDEX, e, x[e->rd]);
#define SEE_ISSUE see_issue(seen, HART, INDEX);
#define SEE_LOAD see_load(seen, INDEX, dbase + at, load32(ram + (at & ~3u)));
#define SEE_STORE see_store(seen, INDEX, dbase + at, b << 8 * (at & 3));
#else
#define SEE_OPERANDS(NAME)
#define SEE_BRANCH(NAME)
#define SEE_RESULT
#define SEE_ISSUE
#define SEE_LOAD
#define SEE_STORE
#endif

#if INORDER
#if FETCHED
#define OVERLAP(took) overlap(seen->fetch, seen->decoded[INDEX].op, CYCLE, (took) + 1)
#else
#define OVERLAP(took) 0
#endif
#if FETCHED
#define HELD (CYCLE < ready_last || (m->interlocks && CYCLE < m->interlocks->last))
#else
#define HELD (CYCLE < ready_last)
#endif
/* An instruction that reads the result waits until it is ready, some cycles after this end. */
#define RESULT_IN(took) \
    if (unlikely(e->use)) { \
        const i64 ready = late_result(st, uses, e, CYCLE + (took) + 1 - e->fetch - OVERLAP(took)); \
        ready_last = most(ready_last, ready); \
        labels = wary; \
    }
#else
#define RESULT_IN(took)
#endif

#if LINED
    OPEN_LINE
#endif
    if (st->prepared) {
        st->prepared = 0;
        goto taken_over;
    }
    if (CYCLE > limit) goto out;
    if (one) {
        if (e->op == OP_STALE || e->op == OP_NO_FETCH) goto *plain[e->op];
#if INORDER
        irq = st->replaced;
        if (irq) {
            const Entry *const d = &m->decoded[INDEX];
            const i64 ready = engine_operands_ready(m, d);
            if (ready > limit) goto out;
            if (ready > CYCLE) MOVE_TO(CYCLE + wait_for_operands(m, INDEX, ready - CYCLE), 0)
            st->older = st->ready[d->rd]; /* it writes nothing */
            goto l_slow;
        }
        if (HELD) goto scoreboard;
#else
        irq = (st->pending >> HART & 1) && INTERRUPTIBLE[m->decoded[INDEX].op];
        if (irq) goto l_slow;
#endif
        goto under;
    }
    GO

#include "handlers.h"

l_nothing:
    SEE_ISSUE
    NEXT(ALU)

l_fence_i:
#if LINED
    if (has_lines) {
        wait = line_wait(m, INDEX, GOES_ON, TOOK(e, 0), PC + 4);
        e++;
        goto in_line;
    }
#elif FETCHED
    m->fetch->quiet = -1;
#endif
    goto l_nothing;

#if LINED
next_line: /* of the word after one that took `over` cycles beyond its static ones */
    wait = IS_LAST(PC) ? 0 : line_wait(m, INDEX - 1, GOES_ON, TOOK(e - 1, over), PC);
in_line:
    WAIT_FOR_LINE
    line_end = e + words_to_border(fetch, PC);
    GO
#endif

l_stale:
    stop = STOP_DECODE;
    goto out;
l_hot:
    if (CYCLE < st->hot_from) goto under;
    stop = TRANSLATED;
    goto out;
l_marked:
    stop = STOP_MARK;
    goto out;
l_watched:
    stop = LOOK;
    goto out;
l_no_fetch:
    st->fault = FAULT_FETCH;
    st->fault_address = PC;
    stop = STOP_FAULT;
    goto out;

#if !SEVERAL
careful:
    if (CYCLE > fence) goto out;
#if INORDER
    if (HELD) goto scoreboard;
#endif
    if (base <= room && CYCLE >= lsu_last + 2 && !ALWAYS_CAREFUL) labels = plain;
    if (e->op >= OP_STALE) goto *plain[e->op];
#endif
under: {
        const i64 o = m->decoded[INDEX].op;
#if !SEVERAL
        if (CYCLE < lsu_last + 2 && (is_load(o) || is_store(o))) {
            if (m->path) goto l_slow;
            if (lsu_last + 2 > limit) goto out;
            lane->waited += lsu_last + 2 - CYCLE;
            lane->dyn[INDEX].wait_lsu += lsu_last + 2 - CYCLE;
            MOVE_TO(lsu_last + 2, 0)
        }
#endif
#if FETCHED
        if (m->fetch->shared && (is_load(o) || is_store(o))) {
            const i64 issue = port_issue(m, INDEX, CYCLE, limit);
            if (issue > limit) goto out;
            if (issue > CYCLE) {
                lane->waited += issue - CYCLE;
                lane->dyn[INDEX].wait_lsu += issue - CYCLE;
                MOVE_TO(issue, 0)
            }
        }
#endif
        goto *plain[o];
    }

#if INORDER
scoreboard: { /* results are outstanding */
        const Entry *d = &m->decoded[INDEX];
        if (e->op >= OP_STALE && !one) goto *plain[e->op];
        const i64 ready = engine_operands_ready(m, d);
        if (ready > limit) goto out;
        if (ready > CYCLE) MOVE_TO(CYCLE + wait_for_operands(m, INDEX, ready - CYCLE), 0)
        /* Readers of the register now read a newer result, unless the instruction traps. */
        st->older = st->ready[d->rd];
        if (!is_vector(d->op) && !is_transfer(d->op)) st->ready[d->rd] = 0;
        goto under;
    }
#endif

strange_branch: /* out of the instruction memory, or not aligned */
    b = e->extra;
#if INORDER
    if (npc & misaligned) goto l_slow;
#if !FETCHED
    b += taken_branch(m, INDEX, FLOW(e));
    jumped_to = CYCLE + b + STEP;
#endif
#endif
    goto booked;
strange_jump:
    if (npc & misaligned) goto l_slow;
    SEE_ISSUE
    x[e->rd] = PC + LENGTH;
    SEE_RESULT
    b = e->extra;
    goto booked;
holds_up:
    b = e->extra;
    npc = PC + LENGTH;
    goto booked;

#if SEVERAL
l_vector: {
        if (TOGGLING || one || serial || !only_tries(m, lane, cycle)) goto l_slow;
        const i64 to = try_vector(m, cycle, limit, &lane, &last_lane);
        last = last_lane->e;
        cycle = to;
        e = lane->e;
        x = lane->x;
        flow = lane->flow;
        GO
    }
#endif
l_slow: {
        st->hart = HART;
        st->slots = SLOTS;
        st->lsu_last = lsu_last;
        st->amo_enables = enables;
        m->hs[HART].pc = PC;
        m->hs[HART].own_extra = BUSY;
        const i64 outcome =
            slow_step(m, HART, &m->decoded[INDEX], INDEX, PC, CYCLE, limit, irq);
        if (outcome == WAITS) goto out;
        lsu_last = st->lsu_last;
        MOVE_TO(st->cycle, outcome == DONE ? st->extra_slots : 0)
        if (outcome != DONE) {
            stop = outcome;
            goto out;
        }
#if INORDER
        if (is_load(m->decoded[INDEX].op)) { RESULT_IN(st->busy) }
        if (is_unit(m->decoded[INDEX].op)) {
            RESULT_IN(st->busy - st->operand_wait)
            if (st->operand_wait) operand_waited_to = CYCLE + st->busy + STEP;
        }
#endif
    }
taken_over: {
        const i64 o = m->decoded[INDEX].op;
        b = st->busy;
        npc = (u32)st->next_pc;
#if INORDER
        if (st->trap_end == CYCLE + b + 1) st->ready[m->decoded[INDEX].rd] = st->older;
#endif
        if (is_load(o) || is_store(o)) enables = enables_of(o);
        if (st->exit_cycle >= 0) {
            limit = least(limit, st->exit_cycle);
            fence = least(fence, limit);
#if !SEVERAL
            room = fence - MOST_AT;
#endif
        }
        /* Leave after this instruction if the run has ended or a buffer is nearly full. */
        stop = st->stop;
        if (st->look && !one) stop = RESUME;
        st->look = 0;
        if (st->printed > m->printed_rows / 2 || st->spans > m->span_rows - 2) stop = STOP_BUFFER;
    }
booked: {
        const u32 to = npc - ibase;
        const bool strange = STRANGE(to);
        const i64 goal = to >> SHIFT;
        SETTLE
#if FETCHED
        b += fetch_next(m, INDEX, kind_of_transition(m, INDEX, CYCLE + b + 1), CYCLE, b + 1, npc);
#elif LINED
        if (has_lines) {
            const i64 kind = kind_of_transition(m, INDEX, CYCLE + b + 1);
            const i64 after = e->latency && is_unit(m->decoded[INDEX].op) ? st->operand_wait : 0;
            wait = line_wait(m, INDEX, kind, b + 1 - e->fetch - after, npc);
            if (jumped_to == CYCLE + b + STEP) jumped_to += wait;
            if (operand_waited_to == CYCLE + b + STEP) operand_waited_to += wait;
            b += wait;
            if (wait) waited_for_line = CYCLE + b + STEP;
        }
#endif
        if (serial) {
            const i64 held = serial_wait(m, HART, INDEX, CYCLE + b, lsu_last);
            if (st->stop == STOP_HANG) {
                stop = STOP_HANG;
                STEP = 1;
            }
            MOVE_TO(CYCLE + held, 0)
            waited_to = CYCLE + b + STEP;
        }
        lane->e = goal < m->words ? table + goal : end;
        if (strange) lane->pc_base = npc - ((u32)(lane->e - table) << SHIFT);
        COUNT_JUMP(lane->e)
        TURN(b)
#if LINED
        if (has_lines) line_end = e + words_to_border(fetch, npc);
#endif
        if ((strange || LEFT_ALONE) && stop == STOP_QUANTUM && CYCLE <= fence) stop = RESUME;
        irq = false;
        if (stop != STOP_QUANTUM) goto out;
    }
    GO

out:
#if SEVERAL
    for (i64 k = 0; k < cfg->harts; k++) close_lane(m, &lanes[k]);
    const Entry *const behind = last;
    if (last_lane) {
        st->last_hart = last_lane->h;
        st->last_gap = last_lane->step - 1;
    }
#else
    lane->e = e;
    lane->busy = BUSY;
    close_lane(m, lane);
    const Entry *const behind = e == start ? from : e - 1;
    if (behind) {
        st->last_hart = HART;
        st->last_gap = STEP - 1;
    }
#endif
    if (behind) st->last_index = behind - table;
#if INORDER
    st->ready_last = ready_last;
    st->jumped = jumped_to == CYCLE;
    if (operand_waited_to != CYCLE) st->operand_wait = 0;
#endif
    if (waited_to != CYCLE) st->last_wait = 0;
#if LINED
    if (waited_for_line != CYCLE) fetch->missed = fetch->waited = 0;
    fetch->quiet = PC >> fetch->line_shift;
#endif
    st->hart = HART;
    st->cycle = CYCLE;
    st->slots = SLOTS;
    st->lsu_last = lsu_last;
    st->amo_enables = enables;
    return stop;
}
#undef INDEX
#undef PC
#undef STRANGE
#undef OPERANDS
#undef RESULT_IN
#undef OVERLAP
#undef HELD
#undef SEE_OPERANDS
#undef SEE_BRANCH
#undef SEE_RESULT
#undef SEE_ISSUE
#undef SEE_LOAD
#undef SEE_STORE
#undef LOOP
#undef INORDER
