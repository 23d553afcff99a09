/* How the loop books where instructions have 16 or 32 bits, one hart awake: each by itself, as between
   the entries of two of them there may be one of a halfword inside of the first. What straight.h
   calls `at` is the length of an instruction in bytes here, and the base is the cycle. */
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
