/* The loop over instructions: function and timing of one instruction per turn.

   Included by loop.c with LOOP (the name of the function), SEVERAL (harts take turns in strict
   rotation; else one is awake and the slots of the others pass in one addition) and INORDER
   (timing from a table, results that are waited for; else the T13 with its LSU).

   `cycle` is the issue cycle that the next instruction has if nothing stalls it. Let an instruction
   enter execute in cycle I and stay b extra cycles: the next one in rotation enters in c + 1,
   where c >= I + b is the first cycle in which decode does not wait for the LSU or its vector unit.
   Source: microarchitecture.md section 1.

   With `one` it returns behind the first instruction, and looks under a mark. */

static i64 LOOP(Machine *const m, i64 limit, const bool one) {
#define LABEL(NAME, ...) [OP_##NAME] = &&l_##NAME,
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
    static const void *const labels[OP_COUNT] = {
        [0 ... OP_COUNT - 1] = &&l_slow,
#if SEVERAL
        [OP_KADDV ... OP_KSVDIVPSRF] = &&l_vector,
#endif
        OPS_ALU(LABEL) OPS_MUL(LABEL) OPS_MULH(LABEL) OPS_DIV(LABEL) OPS_LOAD(LABEL)
        OPS_STORE(LABEL) OPS_BRANCH(LABEL) OPS_JUMP(LABEL)
        [OP_NOP] = &&l_nothing, [OP_FENCE] = &&l_nothing, [OP_FENCE_I] = &&l_nothing,
        [OP_STALE] = &&l_stale, [OP_HOT] = &&l_hot, [OP_MARKED] = &&l_marked, [OP_WATCHED] = &&l_watched,
        [OP_WATCHED_MARKED] = &&l_marked, [OP_NO_FETCH] = &&l_no_fetch,
    };
#pragma GCC diagnostic pop
#undef LABEL
    const Config *const cfg = m->cfg;
    State *const st = m->st;
    const Entry *const table = m->table, *const end = table + m->words;
    u8 *const ram = (u8 *)(m->ram + cfg->data_word0);
    const u32 ibase = (u32)cfg->ibase, dbase = (u32)cfg->dbase;
    /* While requests are recorded, the slow steps do that. */
    const u32 dsize = cfg->bus && cfg->tracing ? 0 : (u32)cfg->dsize;
    const bool variable = cfg->div_variable, serial = cfg->serial;
    const u32 misaligned = cfg->core.fetch_ignores_alignment ? 0 : 3;
    i64 cycle = st->cycle, lsu_last = st->lsu_last, stop = STOP_QUANTUM;
    i64 fence = one ? -1 : limit; /* where to come back */
    u32 enables = (u32)st->amo_enables, npc;
    i64 b;
    /* The state says of the last instruction whether it waited, or jumped. */
    i64 waited_to = st->last_wait ? cycle : -1;

#if SEVERAL
    Lane lanes[MAX_HARTS], *lane = lanes + st->hart, *last_lane = NULL;
    for (i64 k = 0; k < cfg->harts; k++) open_lane(m, k, &lanes[k], &lanes[m->hs[k].next]);
#define HART lane->h
#define STEP lane->step
#else
    Lane only;
    Lane *const lane = &only;
    const i64 h = st->hart;
    open_lane(m, h, lane, lane);
    i64 step = lane->step;
#define HART h
#define STEP step
#endif
#if INORDER
    const i64 load_use = cfg->load_use, mul_use = cfg->mul_use;
    i64 ready_last = st->ready_last, jumped_to = st->jumped ? cycle : -1;
#endif
    /* Cycles so far that were no slots: in execute beyond one per instruction, and waits. */
    i64 beyond = cycle - st->slots;
#if SEVERAL
#define WAIT(cycles) beyond += (cycles);
#define BUSY lane->busy
#else
    /* One hart: what its instructions took beyond one cycle each follows from the others. */
    i64 waits = beyond - lane->busy;
#define WAIT(cycles) { const i64 waited = (cycles); beyond += waited; waits += waited; }
#define BUSY (beyond - waits)
#endif
    const Entry *e = lane->e, *last = NULL;
    u32 *x = lane->x;
    uintptr_t prof = lane->prof;
    /* Behind an odd pc every jump is a strange one, so that the pc is whole again. */
    const u32 reach = lane->pc_base == ibase ? (u32)m->words : 0;
    bool irq = false;

#define INDEX (e - table)
#define PC (lane->pc_base + 4 * (u32)INDEX)
#define UNDER labels[m->decoded[INDEX].op]
/* Each handler has a dispatch of its own, which the compiler is not to merge with others: a jump
   is foreseen by where it is. */
#define DISPATCH { __asm__ volatile("" : : "i"(__COUNTER__)); goto *labels[e->op]; }
#if INORDER
#define GO { \
        if (unlikely(cycle > fence)) goto out; \
        if (unlikely(cycle < ready_last)) goto scoreboard; \
        DISPATCH }
#else
#define GO { if (unlikely(cycle > fence)) goto out; DISPATCH }
#endif
#define COUNT (*(i64 *)(((uintptr_t)e >> 1) + prof))++;
/* Book an instruction that takes `took` cycles beyond one and goes on at `to`. */
#if SEVERAL
#define LEAVE(took, to) { \
        const i64 beyond_one = (took); \
        COUNT \
        lane->busy += beyond_one; \
        beyond += beyond_one; \
        cycle += beyond_one + lane->step; \
        last = e; \
        last_lane = lane; \
        lane->e = (to); \
        lane = lane->next; /* the next hart's turn */ \
        e = lane->e; \
        x = lane->x; \
        prof = lane->prof; \
        GO }
#else
#define LEAVE(took, to) { \
        const i64 beyond_one = (took); \
        COUNT \
        beyond += beyond_one; \
        cycle += beyond_one + step; \
        last = e; \
        e = (to); \
        GO }
#endif
/* Static cycles of a class beyond one: the T13's are constants. */
#if INORDER
#define EXTRA(CLASS) e->extra
#else
#define EXTRA(CLASS) T13_EXTRA_##CLASS
#endif
#define NEXT(took) LEAVE(took, e + 1)
#if INORDER
/* Whoever reads the result waits until it is there: `use` cycles from the end of this one. */
#define RESULT_IN(use, took) \
    if (use) { \
        const i64 ready = cycle + (took) + 1 - cfg->fetch + (use); \
        st->ready[e->rd] = ready; \
        ready_last = most(ready_last, ready); \
    }
#else
#define RESULT_IN(use, took)
#endif
#define OPERANDS const u32 a = x[e->rs1], b = x[e->rs2], i = (u32)e->imm, pc = PC; \
    (void)a, (void)b, (void)i, (void)pc;

    if (st->prepared) {
        st->prepared = 0;
        goto taken_over;
    }
    if (cycle > limit) goto out;
    if (one) {
        if (e->op == OP_STALE || e->op == OP_NO_FETCH) goto *labels[e->op];
        irq = (st->pending >> HART & 1) && INTERRUPTIBLE[m->decoded[INDEX].op];
        if (irq) goto l_slow;
#if INORDER
        if (cycle < ready_last) goto scoreboard;
#endif
        goto *UNDER;
    }
    GO

#define ALU(NAME, RESULT) l_##NAME: { OPERANDS x[e->rd] = (u32)(RESULT); NEXT(EXTRA(ALU)) }
    OPS_ALU(ALU)
#undef ALU

#if INORDER
#define MULTIPLY(NAME, RESULT) { \
        OPERANDS \
        const bool longer = OP_##NAME == OP_MUL && cfg->mul_per_bit; \
        const i64 took = e->extra + (longer ? long_product(m, INDEX, b) : 0); \
        x[e->rd] = (u32)(RESULT); \
        RESULT_IN(mul_use, took) \
        NEXT(took) }
#define MUL(NAME, RESULT) l_##NAME: MULTIPLY(NAME, RESULT)
#define MULH(NAME, RESULT) l_##NAME: MULTIPLY(NAME, RESULT)
#else
#define MUL(NAME, RESULT) l_##NAME: { OPERANDS x[e->rd] = (u32)(RESULT); NEXT(EXTRA(MUL)) }
#define MULH(NAME, RESULT) l_##NAME: { OPERANDS x[e->rd] = (u32)(RESULT); NEXT(EXTRA(MULH)) }
#endif
    OPS_MUL(MUL) OPS_MULH(MULH)
#undef MUL
#undef MULH
#undef MULTIPLY

#define DIVIDE(NAME, RESULT) l_##NAME: { \
        OPERANDS \
        i64 took = e->extra; \
        if (unlikely(variable)) \
            took += long_division(m, HART, INDEX, a, b, OP_##NAME == OP_DIV || OP_##NAME == OP_REM); \
        if (INORDER && b == 0 && cfg->div_zero) \
            took += further_cycles(m, HART, INDEX, CLASS_DIV, cfg->div_zero); \
        x[e->rd] = (u32)(RESULT); \
        NEXT(took) }
    OPS_DIV(DIVIDE)
#undef DIVIDE

#define WORD_OF(SIZE) (SIZE == 4 ? load32(ram + at) : SIZE == 2 ? load16(ram + at) : ram[at])
#if SEVERAL
#define LSU_WAIT if (unlikely(lsu_last + 2 > cycle)) { \
        const i64 to = lsu_last + 2; \
        if (to > limit) goto out; \
        lane->waited += to - cycle; \
        beyond += to - cycle; \
        lane->dyn[INDEX].wait_lsu += to - cycle; \
        cycle = to; }
#else
#define LSU_WAIT if (unlikely(lsu_last + 2 > cycle)) goto lsu_busy;
#endif
#define LOAD(NAME, ADDRESS, SIZE, RESULT) l_##NAME: { \
        OPERANDS \
        const u32 at = (ADDRESS) - dbase; \
        if (unlikely(out_of_reach(at, SIZE, dsize))) goto l_slow; \
        LSU_WAIT \
        const u32 m = WORD_OF(SIZE); \
        x[e->rd] = (u32)(RESULT); \
        enables = (1u << SIZE) - 1; \
        RESULT_IN(load_use, e->extra) \
        NEXT(EXTRA(LOAD)) }
    OPS_LOAD(LOAD)
#undef LOAD

#define STORE(NAME, ADDRESS, SIZE, STORED) l_##NAME: { \
        OPERANDS \
        const u32 at = (ADDRESS) - dbase; \
        if (unlikely(out_of_reach(at, SIZE, dsize))) goto l_slow; \
        LSU_WAIT \
        const u32 word = (STORED); \
        if (SIZE == 4) store32(ram + at, word); \
        else if (SIZE == 2) store16(ram + at, word); \
        else ram[at] = (u8)word; \
        enables = (1u << SIZE) - 1; \
        if (!INORDER) { \
            lsu_last = cycle; \
            if (unlikely(serial)) goto holds_up; \
        } \
        NEXT(EXTRA(STORE)) }
    OPS_STORE(STORE)
#undef STORE

#define BRANCH(NAME, TAKEN, TARGET) l_##NAME: { \
        OPERANDS \
        if (TAKEN) { \
            const u32 to = (TARGET); \
            BRANCH_TO(to) \
        } \
        NEXT(EXTRA(BRANCH)) }
#if INORDER
#define BRANCH_TO(to) { \
            if (unlikely(is_strange(to - ibase, reach))) { npc = to; goto strange_branch; } \
            const i64 took = e->extra + taken_branch(m, INDEX); \
            jumped_to = cycle + took + STEP; \
            LEAVE(took, table + ((to - ibase) >> 2)) }
#else
#define BRANCH_TO(to) { \
            if (unlikely(is_strange(to - ibase, reach))) { npc = to; goto strange_branch; } \
            LEAVE(EXTRA(BRANCH), table + ((to - ibase) >> 2)) }
#endif
    OPS_BRANCH(BRANCH)
#undef BRANCH

#define JUMP(NAME, RESULT, TARGET) l_##NAME: { \
        OPERANDS \
        const u32 to = (TARGET), link = (RESULT); \
        if (unlikely(is_strange(to - ibase, reach))) { npc = to; goto strange_jump; } \
        x[e->rd] = link; \
        LEAVE(EXTRA(JUMP), table + ((to - ibase) >> 2)) }
    OPS_JUMP(JUMP)
#undef JUMP

l_nothing:
    NEXT(e->extra)

l_stale:
    stop = STOP_DECODE;
    goto out;
l_hot:
    if (cycle < st->hot_from) goto *UNDER;
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
lsu_busy: /* a load or store waits */
    if (lsu_last + 2 > limit) goto out;
    lane->waited += lsu_last + 2 - cycle;
    lane->dyn[INDEX].wait_lsu += lsu_last + 2 - cycle;
    WAIT(lsu_last + 2 - cycle)
    cycle = lsu_last + 2;
    goto *UNDER;
#endif

#if INORDER
scoreboard: { /* results are outstanding */
        const Entry *d = &m->decoded[INDEX];
        if (e->op >= OP_STALE && !one) goto *labels[e->op];
        const i64 ready = engine_operands_ready(st, d);
        if (ready > limit) goto out;
        if (ready > cycle) {
            WAIT(wait_for_operands(m, INDEX, ready - cycle))
            cycle = ready;
        }
        /* Whoever reads the register now reads a newer result. */
        if (!is_vector(d->op) && !is_transfer(d->op)) st->ready[d->rd] = 0;
        goto *labels[d->op];
    }
#endif

strange_branch: /* out of the instruction memory, or not aligned */
    b = e->extra;
#if INORDER
    if (npc & misaligned) goto l_slow;
    b += taken_branch(m, INDEX);
    jumped_to = cycle + b + STEP;
#endif
    goto booked;
strange_jump:
    if (npc & misaligned) goto l_slow;
    x[e->rd] = PC + 4;
    b = e->extra;
    goto booked;
holds_up:
    b = e->extra;
    npc = PC + 4;
    goto booked;

#if SEVERAL
l_vector: {
        if (one || serial || !only_tries(m, lane, cycle)) goto l_slow;
        const i64 to = try_vector(m, cycle, limit, &lane, &last_lane);
        last = last_lane->e;
        cycle = to;
        e = lane->e;
        x = lane->x;
        prof = lane->prof;
        GO
    }
#endif
l_slow: {
        st->hart = HART;
        st->slots = cycle - beyond;
        st->lsu_last = lsu_last;
        st->amo_enables = enables;
        m->hs[HART].pc = PC;
        m->hs[HART].own_extra = BUSY;
        const i64 outcome =
            slow_step(m, HART, &m->decoded[INDEX], INDEX, PC, cycle, limit, irq);
        if (outcome == WAITS) goto out;
        lsu_last = st->lsu_last;
        WAIT(st->cycle - cycle - (outcome == DONE ? st->extra_slots : 0))
        cycle = st->cycle;
        if (outcome != DONE) {
            stop = outcome;
            goto out;
        }
#if INORDER
        if (is_load(m->decoded[INDEX].op) && load_use) {
            const i64 ready = cycle + st->busy + 1 - cfg->fetch + load_use;
            st->ready[e->rd] = ready;
            ready_last = most(ready_last, ready);
        }
#endif
    }
taken_over: {
        const i64 o = m->decoded[INDEX].op;
        b = st->busy;
        npc = (u32)st->next_pc;
        if (is_load(o) || is_store(o)) enables = enables_of(o);
        if (st->exit_cycle >= 0) {
            limit = least(limit, st->exit_cycle);
            fence = least(fence, limit);
        }
        /* Leave after this turn if the run is over or a buffer is nearly full. */
        stop = st->stop;
        if (st->printed > m->printed_rows / 2 || st->spans > m->span_rows - 2) stop = STOP_BUFFER;
    }
booked: {
        const u32 to = npc - ibase;
        const bool strange = is_strange(to, reach);
        COUNT
#if SEVERAL
        lane->busy += b;
#endif
        if (serial) {
            const i64 held = serial_wait(m, HART, INDEX, cycle + b, lsu_last);
            if (st->stop == STOP_HANG) {
                stop = STOP_HANG;
                STEP = 1;
            }
            WAIT(held)
            cycle += held;
            waited_to = cycle + b + STEP;
        }
        beyond += b;
        cycle += b + STEP;
        last = e;
        if (strange) {
            lane->e = to >> 2 < m->words ? table + (to >> 2) : end;
            lane->pc_base = npc - 4 * (u32)(lane->e - table);
            if (stop == STOP_QUANTUM && cycle <= fence) stop = RESUME;
        } else
            lane->e = table + (to >> 2);
#if SEVERAL
        last_lane = lane;
        lane = lane->next;
        x = lane->x;
        prof = lane->prof;
#endif
        e = lane->e;
        irq = false;
        if (stop != STOP_QUANTUM) goto out;
    }
    GO

out:
#if SEVERAL
    for (i64 k = 0; k < cfg->harts; k++) close_lane(m, &lanes[k]);
    if (last_lane) {
        st->last_hart = last_lane->h;
        st->last_gap = last_lane->step - 1;
    }
#else
    lane->e = e;
    lane->busy = BUSY;
    close_lane(m, lane);
    if (last) {
        st->last_hart = HART;
        st->last_gap = STEP - 1;
    }
#endif
    if (last) st->last_index = last - table;
#if INORDER
    st->ready_last = ready_last;
    st->jumped = jumped_to == cycle;
#endif
    if (waited_to != cycle) st->last_wait = 0;
    st->hart = HART;
    st->cycle = cycle;
    st->slots = cycle - beyond;
    st->lsu_last = lsu_last;
    st->amo_enables = enables;
    return stop;
#undef HART
#undef STEP
#undef INDEX
#undef PC
#undef UNDER
#undef GO
#undef DISPATCH
#undef COUNT
#undef WAIT
#undef BUSY
#undef EXTRA
#undef LEAVE
#undef NEXT
#undef RESULT_IN
#undef OPERANDS
#undef WORD_OF
#undef LSU_WAIT
#undef BRANCH_TO
}
#undef LOOP
#undef SEVERAL
#undef INORDER
