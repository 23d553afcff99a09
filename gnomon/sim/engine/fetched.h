/* Accounting of the loop of in-order cores whose fetch has a queue, a branch predictor or a cache:
   each instruction individually, with the wait for the next one (fetch.c). Entries are those of
   words, or with RV32C of halfwords; their `at` is the length of the instruction in bytes. */
#define FETCHED 1
#undef SHIFT
#undef LENGTH
#undef SPLIT
#undef NEXT
#undef NEXT_AFTER
#undef GO_TO
#undef MOST_AT
#undef ALWAYS_CAREFUL

#define MOST_AT 4
#define ALWAYS_CAREFUL (m->fetch->shared || m->interlocks)
#define SHIFT ((int)cfg->ishift)
#define LENGTH e->at
#define SPLIT(goal) 0
#define NEXT(CLASS) GO_TO(CLASS, 0, e + (LENGTH >> SHIFT))
#define NEXT_AFTER(more) GO_TO(, more, e + (LENGTH >> SHIFT))
#define GO_TO(CLASS, more, goal) { \
        const Entry *const there = (goal); \
        const i64 took = (more) + e->extra + 1; \
        const u32 next_pc = lane->pc_base + ((u32)(there - table) << SHIFT); \
        COUNT_JUMP(there) \
        ran += e + 1 - start; \
        const bool on = TRANSITION_##CLASS == GOES_ON || TRANSITION_##CLASS == BRANCHES_NOT; \
        const i64 after = on && fetches_quietly(seen->fetch, next_pc) ? steady_wait(seen, INDEX) : \
            fetch_next(seen, INDEX, TRANSITION_##CLASS, CYCLE, took, next_pc); \
        MOVE_BASE(took + after) \
        from = e; \
        e = start = there; \
        GO }
