/* Accounting of the loop with 16- and 32-bit instructions and one awake hart: each instruction
   individually, because between the entries of two instructions there may be that of a halfword
   inside the first. The `at` of straight.h is here the length of an instruction in bytes, and the
   base is the cycle. */
#undef SHIFT
#undef LENGTH
#undef SPLIT
#undef AT
#undef PASSED
#undef NEXT
#undef NEXT_AFTER

#define SHIFT 1
#define LENGTH e->at
#define SPLIT(goal) split_target(m, INDEX, (goal) - table)
#define AT(entry) 0
#define PASSED(there) (step + e->extra)
#define NEXT(CLASS) GO_TO(CLASS, 0, e + (LENGTH >> SHIFT))
#define NEXT_AFTER(more) GO_TO(, more, e + (LENGTH >> SHIFT))
