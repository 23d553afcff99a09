/* Interface between the engine and translated blocks. Freestanding and without the engine's own
   headers: of the engine, a library of translated blocks includes only this file.

   A block is left after its last word, or before a word that it cannot execute: a load or store
   outside data RAM or misaligned, an invalid jump. Then `block` and `part` give the place, and the
   accounting of the rest of the block is undone. */
#ifndef HOT_H
#define HOT_H
#include <stdint.h>

#define WHOLE UINT32_MAX /* `block` of a hart that left between two blocks */

/* A translated block. Bit k of a mask is word k. */
typedef struct Block {
    uint64_t accesses; /* loads and stores */
    uint64_t stores;
    uint32_t start;  /* index of its first word in the instruction memory */
    uint32_t length; /* words */
    uint32_t extra;  /* sum of their static cycles in execute beyond the first */
    uint32_t cycles; /* of all slots, also parked ones, from the first issue to the next */
} Block;

/* One hart awake, with exact cycles. */
typedef struct Solo {
    uint32_t *x;     /* its registers */
    uint8_t *ram;    /* data RAM */
    int64_t *count;  /* by block */
    int64_t *taken;  /* by block: branches taken, where that costs cycles */
    int64_t cycle;   /* issue cycle of the next instruction */
    int64_t limit;   /* last cycle to issue in */
    int64_t done;    /* instructions */
    uint32_t pc;
    uint32_t enables; /* byte enables of the last load or store */
    uint32_t block;
    uint32_t part;
    /* Account for an instruction whose cycles depend on its operands; returns those beyond the
       static ones, and its wait. */
    int64_t (*by_operands)(struct Solo *, uint32_t index, uint32_t a, uint32_t b);
    uint8_t *hart_state;   /* of units: its own, and that of all harts */
    uint8_t *shared_state;
    int64_t *execute; /* by word, every second one: cycles beyond the static ones */
    const int64_t *lines; /* tags of the caches: of fetches and of loads */
    int64_t *data_lines;
    int64_t *refills; /* waits for lines of loads: by word, as `execute`, every so many */
    int64_t refilled; /* and their sum */
    /* Account for the fetch after an instruction that took some cycles, without static waits for the
       next one; by_branch: which is a branch that was taken. Returns the wait. */
    int64_t (*fetch_line)(struct Solo *, uint32_t index, uint32_t by_branch, int64_t took,
                          uint32_t pc);
} Solo;

/* Make a line of a cache, by its tag, the last used of its set; whether the set has held it. */
static inline int use_tag(int64_t *set, int64_t ways, int64_t tag)
{
    int64_t way = 0;
    while (way < ways - 1 && set[way] != tag) way++;
    const int hit = set[way] == tag;
    for (; way; way--) set[way] = set[way - 1];
    set[0] = tag;
    return hit;
}

/* A store, to be undone. */
typedef struct Undo {
    uint32_t at; /* byte offset of the word in data RAM */
    uint32_t was;
} Undo;

/* An instruction whose cycles depend on its operands, to be accounted for. */
typedef struct OperandPair {
    uint32_t index; /* of its word */
    uint32_t a;
    uint32_t b;
} OperandPair;

/* One of several harts, ahead of the others by up to a window of slots. `trace` lists what it has
   executed: numbers of blocks, or SINGLE and the index of a word. */
#define SINGLE 0x80000000u
typedef struct Runner {
    uint32_t *x;
    uint8_t *ram;
    uint16_t *tags; /* by line of data RAM: who may read (bit h) and write (bit 8 + h) */
    Undo *undo;
    OperandPair *operands;
    uint32_t *trace;
    int64_t done;  /* slots of this window */
    int64_t limit; /* slots that it may do */
    uint32_t may_read;
    uint32_t may_write;
    uint32_t pc;
    uint32_t block;
    uint32_t part;
    uint32_t conflict; /* 1 + number of the line, if the hart stopped before an access to it */
    uint32_t writes;   /* that access is a store */
    uint8_t *hart_state; /* of units */
} Runner;

typedef void (*SoloBlocks)(Solo *);
typedef void (*RunnerBlocks)(Runner *);
#endif
