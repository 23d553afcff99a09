/* Several harts awake: each runs ahead alone for a window of slots, then the interleaving is
   priced.

   It is exact because
   - the rotation is strict: the k-th instruction of each hart has a fixed place among those of all
     harts, whatever they cost;
   - within a window no hart touches a line of memory that another may write: a tag per line
     names its owner. A hart that finds another tag stops; the others roll back to its slot with a
     journal of their stores, and then the line changes its owner. After a window the tags may
     have any value;
   - a word with state of all harts ends a window: the interpreter executes it in its turn. State
     of a hart is copied at the start of a window, for a rollback;
   - the cycles of an instruction are static, except for a load or store that finds the LSU busy
     with the store right before it, which the masks of the blocks show. */
#ifndef WINDOW_H
#define WINDOW_H
#include "engine.h"
#include "hot.h"

#define MAX_WINDOW 4096
#define MASK_WORDS (MAX_WINDOW / 64 + 2)

enum { RAN, SLOW, CONFLICT };

typedef struct Ahead {
    Runner r;
    i64 hart;
    i64 gap; /* parked slots after its own */
    u32 *trace; /* where the journals of this window begin */
    Undo *undo;
    OperandPair *operands;
    u32 pc; /* at the start of the window */
    u32 x[32];
    u8 *state; /* of units, there */
    i64 state_bytes;
} Ahead;

/* Run until a hart needs the interpreter or the limit is near; returns the slots of each hart. */
i64 run_windows(Machine *m, Hot *hot, i64 limit);

/* ---- price.c: computes the cycles of `slots` slots of each hart and accounts for them. */
void price_window(Machine *m, Hot *hot, Ahead *ahead, i64 harts, i64 slots);

#endif
