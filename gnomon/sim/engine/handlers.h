/* A label for each instruction of the loop: what it computes, from the instruction table, and which
   cycles it takes. Included by interp.h inside of its function. */

/* Continue after an instruction with a result whose cycles may depend on a and another operand. */
    u64 operand, other;
#define NEXT_BY_OPERANDS(second) { \
        if (unlikely(e->latency)) { \
            operand = a; \
            other = (second); \
            goto by_operands; \
        } \
        RESULT_IN(e->extra) \
        NEXT_ACCESS }

#if INORDER
#define OPERAND_WAIT \
        if (unlikely(taken->wait)) { \
            more += book_operand_wait(m, HART, INDEX, taken->wait); \
            operand_waited_to = CYCLE + e->extra + more + STEP; \
        }
#else
#define OPERAND_WAIT
#endif

#if INORDER
/* Of the ALU, only shifts depend on operands; they are distinguished at compile time. */
#define IS_SHIFT_OF(O, KIND) ((O) == OP_SLL##KIND || (O) == OP_SRL##KIND || (O) == OP_SRA##KIND)
#define ALU(NAME, RESULT) l_##NAME: { \
        OPERANDS \
        SEE_OPERANDS(NAME) \
        x[e->rd] = (u32)(RESULT); \
        SEE_RESULT \
        if (IS_SHIFT_OF(OP_##NAME, )) NEXT_BY_OPERANDS(b) \
        if (IS_SHIFT_OF(OP_##NAME, I)) NEXT_BY_OPERANDS(i) \
        RESULT_IN(e->extra) \
        NEXT(ALU) }
#else
#define ALU(NAME, RESULT) l_##NAME: { \
        OPERANDS SEE_OPERANDS(NAME) x[e->rd] = (u32)(RESULT); SEE_RESULT NEXT(ALU) }
#endif
    OPS_ALU(ALU)
#undef ALU

#if INORDER
#define MULTIPLY(NAME, RESULT) l_##NAME: { \
        OPERANDS \
        SEE_OPERANDS(NAME) \
        x[e->rd] = (u32)(RESULT); \
        SEE_RESULT \
        NEXT_BY_OPERANDS(b) }
#define MUL(NAME, RESULT) MULTIPLY(NAME, RESULT)
#define MULH(NAME, RESULT) MULTIPLY(NAME, RESULT)
#else
#define MUL(NAME, RESULT) l_##NAME: { \
        OPERANDS SEE_OPERANDS(NAME) x[e->rd] = (u32)(RESULT); SEE_RESULT NEXT(MUL) }
#define MULH(NAME, RESULT) l_##NAME: { \
        OPERANDS SEE_OPERANDS(NAME) x[e->rd] = (u32)(RESULT); SEE_RESULT NEXT(MULH) }
#endif
    OPS_MUL(MUL) OPS_MULH(MULH)
#undef MUL
#undef MULH
#undef MULTIPLY

#define DIVIDE(NAME, RESULT) l_##NAME: { \
        OPERANDS \
        SEE_OPERANDS(NAME) \
        x[e->rd] = (u32)(RESULT); \
        SEE_RESULT \
        NEXT_BY_OPERANDS(b) }
    OPS_DIV(DIVIDE)
#undef DIVIDE

#if LINED
#define HAS_DATA_CACHE false
#define NEXT_LOAD(address) { \
        st->refilled = 0; \
        if (!near_cached) { \
            RESULT_IN(e->extra) \
            NEXT_ACCESS \
        } \
        const i64 more = cached_load_wait(seen, near_cached, INDEX, address); \
        RESULT_IN(e->extra + more) \
        NEXT_AFTER(more) }
#elif FETCHED
#define HAS_DATA_CACHE (seen->dcache != NULL)
#define NEXT_LOAD(address) { \
        st->refilled = 0; \
        const i64 more = HAS_DATA_CACHE ? load_wait(seen, INDEX, address) : 0; \
        RESULT_IN(e->extra + more) \
        NEXT_AFTER(more) }
#else
#define HAS_DATA_CACHE false
#define NEXT_LOAD(address) { RESULT_IN(e->extra) NEXT_ACCESS }
#endif

/* The same outside of the data memory, where a region has its own wait states. */
#define FAR_PLACE(SIZE, ...) \
        const u32 address = at + dbase; \
        const Window *const there = far ? window_at(m, address) : NULL; \
        if (!there || address % SIZE __VA_ARGS__) goto l_slow; \
        LSU_WAIT \
        u8 *const place = (u8 *)(m->ram + there->word0) + (address - (u32)there->base); \
        enables = (1u << SIZE) - 1;
#define FAR_WAIT \
        const i64 more = there->more; \
        FLOW(e)->execute += more;
#if LINED
#define FAR_LOAD_WAIT \
        st->refilled = 0; \
        const i64 more = m->dcache ? load_wait(m, INDEX, address) : there->more; \
        if (!m->dcache) FLOW(e)->execute += more;
#else
#define FAR_LOAD_WAIT FAR_WAIT
#endif
#define FAR_LOAD(SIZE, RESULT) { \
        FAR_PLACE(SIZE, || HAS_DATA_CACHE) \
        FAR_LOAD_WAIT \
        u32 m = 0; \
        memcpy(&m, place, SIZE); \
        x[e->rd] = (u32)(RESULT); \
        RESULT_IN(e->extra + more) \
        NEXT_AFTER(more) }
#define FAR_STORE(SIZE, STORED) { \
        FAR_PLACE(SIZE, || there->kind != WINDOW_DATA || (!INORDER && serial)) \
        FAR_WAIT \
        const u32 word = (STORED); \
        memcpy(place, &word, SIZE); \
        if (!INORDER) { FAR_BUSY } \
        NEXT_AFTER(more) }

#define WORD_OF(SIZE) (SIZE == 4 ? load32(ram + at) : SIZE == 2 ? load16(ram + at) : ram[at])
#define LOAD(NAME, ADDRESS, SIZE, RESULT) l_##NAME: { \
        OPERANDS \
        const u32 at = (ADDRESS) - dbase; \
        if (unlikely(out_of_reach(at, SIZE, dsize))) FAR_LOAD(SIZE, RESULT) \
        LSU_WAIT \
        SEE_OPERANDS(NAME) \
        SEE_LOAD \
        const u32 m = WORD_OF(SIZE); \
        x[e->rd] = (u32)(RESULT); \
        SEE_RESULT \
        enables = (1u << SIZE) - 1; \
        NEXT_LOAD(dbase + at) }
    OPS_LOAD(LOAD)
#undef LOAD

#define STORE(NAME, ADDRESS, SIZE, STORED) l_##NAME: { \
        OPERANDS \
        const u32 at = (ADDRESS) - dbase; \
        if (unlikely(out_of_reach(at, SIZE, dsize))) FAR_STORE(SIZE, STORED) \
        LSU_WAIT \
        SEE_OPERANDS(NAME) \
        SEE_STORE \
        const u32 word = (STORED); \
        if (SIZE == 4) store32(ram + at, word); \
        else if (SIZE == 2) store16(ram + at, word); \
        else ram[at] = (u8)word; \
        enables = (1u << SIZE) - 1; \
        if (!INORDER) { \
            LSU_BUSY \
            if (unlikely(serial)) { \
                lsu_last = CYCLE + e->extra; \
                goto holds_up; \
            } \
        } \
        NEXT_ACCESS }
    OPS_STORE(STORE)
#undef STORE

/* Entries of direct jumps hold the distance to their target's entry in bytes, or 0: unknown. */
#define JUMP_TO(TARGET, strange) \
        const Entry *goal = (const Entry *)((const u8 *)e + e->imm); \
        if (unlikely(goal == e)) { \
            const u32 i = (u32)m->decoded[INDEX].imm, pc = PC; \
            (void)i, (void)pc; \
            npc = (TARGET); \
            if (STRANGE(npc - ibase)) goto strange; \
            goal = table + ((npc - ibase) >> SHIFT); \
        }
#define BRANCH(NAME, TAKEN, TARGET) l_##NAME: { \
        const u32 a = x[e->rs1], b = x[e->rs2]; \
        SEE_BRANCH(NAME) \
        if (TAKEN) { \
            JUMP_TO(TARGET, strange_branch) \
            BRANCH_TO(goal) \
        } \
        NEXT(BRANCH) }
#if FETCHED
#define BRANCH_TO(goal) GO_TO(TAKEN, 0, goal)
#elif INORDER
#define BRANCH_TO(goal) \
            const i64 more = taken_branch(m, INDEX, FLOW(e)) + SPLIT(goal); \
            jumped_to = CYCLE + e->extra + more + STEP; \
            GO_TO(BRANCH, more, goal)
#else
#define BRANCH_TO(goal) GO_TO(BRANCH, 0, goal)
#endif
    OPS_BRANCH(BRANCH)
#undef BRANCH

#define JUMP(NAME, RESULT, TARGET) l_##NAME: { \
        const u32 a = x[e->rs1], i = (u32)e->imm, pc = PC, length = LENGTH, link = (RESULT); \
        (void)a, (void)i; \
        if (OP_##NAME == OP_JAL) { \
            JUMP_TO(TARGET, strange_jump) \
            SEE_ISSUE \
            x[e->rd] = link; \
            SEE_RESULT \
            GO_TO(JUMP, SPLIT(goal), goal) \
        } \
        npc = (TARGET); \
        if (unlikely(STRANGE(npc - ibase))) goto strange_jump; \
        SEE_ISSUE \
        x[e->rd] = link; \
        SEE_RESULT \
        const Entry *const reached = table + ((npc - ibase) >> SHIFT); \
        GO_TO(JUMP, SPLIT(reached), reached) }
    OPS_JUMP(JUMP)
#undef JUMP

/* A label for each property, with the rest of the instruction. */
by_operands: {
        static const void *const by_property[] = {
#define LABELS(NAME, ...) &&by_##NAME, &&by_magnitudes_##NAME,
            PROPERTIES(LABELS)
#undef LABELS
        };
        const Latency *const l = latencies + e->latency;
        const i64 shift = 0;
        goto *by_property[l->property];
#define USE(...) \
        const OperandCycles *const taken = l->cycles + (__VA_ARGS__); \
        i64 more = taken->cycles; \
        FLOW(e)->execute += more; \
        RESULT_IN(e->extra + more) \
        OPERAND_WAIT \
        NEXT_AFTER(more)
#define NUMBERS(NAME, ...) \
        NUMBER(by_##NAME, , USE, __VA_ARGS__) \
        NUMBER(by_magnitudes_##NAME, magnitude, USE, __VA_ARGS__)
        PROPERTIES(NUMBERS)
#undef NUMBERS
#undef USE
    }
#undef OPERAND_WAIT

#undef IS_SHIFT_OF
#undef WORD_OF
#undef FAR_PLACE
#undef FAR_LOAD
#undef FAR_WAIT
#undef FAR_LOAD_WAIT
#undef FAR_STORE
#undef HAS_DATA_CACHE
#undef NEXT_LOAD
#undef JUMP_TO
#undef BRANCH_TO
#undef NEXT_BY_OPERANDS
