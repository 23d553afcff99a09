/* How the loop books where one hart is awake: nothing between two jumps.

   Entries know how far they are from the first one in cycles, if it went straight on and nothing
   but static costs came up (`at`); `base` is what lies between that and the cycle. It moves where
   something else comes up: a jump, a wait, an operation that takes longer. `room` is the latest base
   from which the whole program, once straight through, stays below the limit. */
#define SHIFT 2
#define LENGTH 4
#define SPLIT(goal) 0
#define SEVERAL 0
#define HART h
#define STEP step
#define AT(entry) ((entry)->at)
/* Static cycles of the instruction, behind which `there` is next, without the way of `at`. */
#define PASSED(there) ((i64)AT(e + 1) - AT(there))
#define CYCLE (base + AT(e))
#define SLOTS (slots + step * (ran + (e - start)))
#define BUSY (CYCLE - SLOTS - waits)
/* Each handler has a dispatch of its own, which the compiler is not to merge with others: a jump
   is foreseen by where it is. */
#define GO { \
        const void *go = labels[e->op]; \
        __asm__ volatile("" : "+r"(go), "+r"(e) : "i"(__COUNTER__)); \
        goto *go; }
#define MOVE_BASE(cycles) { \
        base += (cycles); \
        if (unlikely(base > room)) labels = wary; }
/* On to the next word; this one took `more` cycles beyond its static ones. */
#define NEXT(CLASS) { e++; GO }
#define NEXT_ACCESS NEXT()
#define NEXT_AFTER(more) { MOVE_BASE(more) e++; GO }
/* Issues are kept as differences between a word and the one before it. */
#define FLOW(entry) (*(i64 *)(((uintptr_t)(entry) >> 1) + flow))
#define COUNT_JUMP(goal) { FLOW(e + 1)--; FLOW(goal)++; }
#define GO_TO(CLASS, more, goal) { \
        const Entry *const there = (goal); \
        COUNT_JUMP(there) \
        ran += e + 1 - start; \
        MOVE_BASE((more) + PASSED(there)) \
        from = e; \
        e = start = there; \
        GO }
/* The next instruction issues later than foreseen; `passed` slots have passed until then. */
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
/* Behind a store the LSU is idle again when the hart has its next turn. */
#define LSU_WAIT
#define LSU_BUSY
