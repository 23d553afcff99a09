/* Accounting of the loop with several harts in strict rotation: for each instruction, because the
   next one is of another hart. */
#undef SHIFT
#undef LENGTH
#undef SPLIT
#undef SEVERAL
#undef HART
#undef STEP
#undef CYCLE
#undef SLOTS
#undef BUSY
#undef GO
#undef MOVE_BASE
#undef NEXT
#undef NEXT_ACCESS
#undef NEXT_AFTER
#undef GO_TO
#undef MOVE_TO
#undef SETTLE
#undef TURN
#undef LEFT_ALONE
#undef LSU_WAIT
#undef LSU_BUSY
#undef FAR_BUSY

#define SHIFT 2
#define LENGTH 4
#define SPLIT(goal) 0
#define SEVERAL 1
#define HART lane->h
#define STEP lane->step
#define CYCLE cycle
#define SLOTS (cycle - beyond)
#define BUSY lane->busy
#define GO { \
        if (unlikely(cycle > fence)) goto out; \
        const void *go = plain[e->op]; \
        __asm__ volatile("" : "+r"(go), "+r"(e) : "i"(__COUNTER__)); \
        goto *go; }
/* The instruction has taken `took` cycles beyond one; lane->e is next of its hart. */
#define TURN(took) { \
        const i64 beyond_one = (took); \
        lane->busy += beyond_one; \
        beyond += beyond_one; \
        cycle += beyond_one + lane->step; \
        last = e; \
        last_lane = lane; \
        lane = lane->next; \
        e = lane->e; \
        x = lane->x; \
        flow = lane->flow; }
/* Static cycles of a class beyond one are constants. */
#define NEXT(CLASS) { lane->e = e + 1; TURN(T13_EXTRA_##CLASS) GO }
#define NEXT_ACCESS { lane->e = e + 1; TURN(e->extra) GO }
#define NEXT_AFTER(more) { lane->e = e + 1; TURN(e->extra + (more)) GO }
#define GO_TO(CLASS, more, goal) { \
        lane->e = (goal); \
        COUNT_JUMP(lane->e) \
        TURN(T13_EXTRA_##CLASS + (more)) \
        GO }
#define MOVE_TO(to, passed) { \
        const i64 now = (to); \
        beyond += now - cycle - (passed); \
        cycle = now; }
#define SETTLE
/* All others sleep: the other loop takes over. */
#define LEFT_ALONE (lane->next == lane)
#define LSU_WAIT if (unlikely(lsu_last + 2 > cycle)) { \
        const i64 to = lsu_last + 2; \
        if (to > limit) goto out; \
        lane->waited += to - cycle; \
        beyond += to - cycle; \
        lane->dyn[INDEX].wait_lsu += to - cycle; \
        cycle = to; }
#define LSU_BUSY lsu_last = cycle + e->extra;
#define FAR_BUSY lsu_last = cycle + e->extra + more;
