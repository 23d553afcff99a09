/* Accounting of the loop with one hart awake: none between two jumps.

   Entries hold their distance from the first one in cycles, for straight-line code with static
   costs (`at`); `base` is the difference between the cycle and this distance. It moves at every
   other event: a jump, a wait, an operation that takes longer. `room` is the latest base from which
   the whole program, once straight through, stays below the limit. */
#define SHIFT 2
#define LENGTH 4
#define SPLIT(goal) 0
#define SEVERAL 0
#define HART h
#define STEP step
#define AT(entry) ((entry)->at)
/* The largest distance of a cycle from the base. */
#define MOST_AT AT(end)
/* Whether an instruction may wait for another one than those whose results it reads. */
#define ALWAYS_CAREFUL false
/* Static cycles of an instruction before `there`, minus the distance in `at`. */
#define PASSED(there) ((i64)AT(e + 1) - AT(there))
#define CYCLE (base + AT(e))
#define SLOTS (slots + step * (ran + (e - start)))
#define BUSY (CYCLE - SLOTS - waits)
/* Each handler has its own dispatch, which the compiler must not merge with others: branch
   prediction uses the address of a jump. */
#define GO { \
        const void *go = labels[e->op]; \
        __asm__ volatile("" : "+r"(go), "+r"(e) : "i"(__COUNTER__)); \
        goto *go; }
#define MOVE_BASE(cycles) { \
        base += (cycles); \
        if (unlikely(base > room)) labels = wary; }
/* Continue with the next word; this one took `more` cycles beyond its static ones. */
#define NEXT(CLASS) { e++; BORDER(0) GO }
#define NEXT_ACCESS NEXT()
#define NEXT_AFTER(more) { MOVE_BASE(more) e++; BORDER(more) GO }
/* What a core with caches does before the next word in memory, and after a jump (lined.h). */
#define BORDER(more)
#define LAND(CLASS)
/* Issues are kept as differences between a word and the one before it. */
#define FLOW(entry) ((Flow *)((uintptr_t)(entry) + flow))
#define COUNT_JUMP(goal) { FLOW(e + 1)->issues--; FLOW(goal)->issues++; }
#define GO_TO(CLASS, more, goal) { \
        const Entry *const there = (goal); \
        COUNT_JUMP(there) \
        ran += e + 1 - start; \
        MOVE_BASE((more) + PASSED(there)) \
        from = e; \
        e = start = there; \
        LAND(CLASS) \
        GO }
/* The next instruction issues later than predicted; `passed` slots have passed until then. */
#define MOVE_TO(cycle, passed) { \
        const i64 to = (cycle), over = (passed); \
        waits += to - CYCLE - over; \
        slots += over; \
        base = to - AT(e); }
/* Let slots count from here on. */
#define SETTLE { slots = SLOTS; ran = 0; start = e; }
/* The instruction, settled, has taken `took` cycles beyond one; lane->e is next. */
#define TURN(took) { \
        const i64 next = CYCLE + (took) + step; \
        slots += step; \
        from = e; \
        e = start = lane->e; \
        base = next - AT(e); \
        labels = wary; }
#define LEFT_ALONE 0
/* After a store the LSU is idle again in the next slot of the hart. */
#define LSU_WAIT
#define LSU_BUSY
#define FAR_BUSY
