/* The vector unit: declarations that its parts share. */
#ifndef VCU_H
#define VCU_H
#include "engine.h"
#include "ops.h"

/* Of a function with one copy, or a copy for each constant: its values stay in registers. */
#define INLINE static inline __attribute__((always_inline))

/* Element widths by MVTYPE. */
enum { TYPE_8, TYPE_16, TYPE_32, TYPE_UNDEFINED };

/* All elements of an instruction of a unit of the machine, in any order. d is NULL for a reduction,
   whose sum is the result; `scalar` is read if the instruction has no second vector. */
typedef u32 (*VectorFunction)(u32 type, void *d, const void *a, const void *b, i64 elements,
                              u32 scalar, u32 c);

static inline bool is_of_unit(i64 o) { return o >= OP_FIRST_VECTOR_UNIT; }
static inline const VectorUnit *vector_unit(const Machine *m, i64 o) {
    return &m->vector_units[o - OP_FIRST_VECTOR_UNIT];
}
const VectorKind *vector_kind(const Machine *m, i64 o);

/* Instructions with a second vector operand. Inline, so that a loop can be specialized. */
static inline bool reads_vector_b(i64 o) {
    switch (o) {
    case OP_KADDV: case OP_KSUBV: case OP_KVMUL: case OP_KDOTP: case OP_KDOTPPS: case OP_KVSLT:
    case OP_KVDIV: case OP_KVREM: case OP_KVMULPS: case OP_KVDIVPS:
        return true;
    default:
        return false;
    }
}

/* Instructions whose second operand is one word of a scratchpad. */
static inline bool reads_scalar_in_spm(i64 o) {
    switch (o) {
    case OP_KSVADDSC: case OP_KSVMULSC:
    case OP_KSVDIVSC: case OP_KSVREMSC: case OP_KSVMULPSSC: case OP_KSVDIVPSSC:
        return true;
    default:
        return false;
    }
}

/* ---- vcu_elements.c */
/* Element-wise results of `words` words, in place or elsewhere, in any order. b is read if the
   instruction has a second vector, `scalar` (repeated in every lane) if it has a scalar. */
void vcu_elements(i64 o, i64 type, s32 *d, const s32 *a, const s32 *b, i64 words, u32 scalar,
                  u32 shift, u32 mask_shift);
/* The scalar operand as the lanes of one word see it. */
u32 repeat_scalar(u32 value, i64 type);

/* ---- vcu_reduce.c */
typedef struct Reduction {
    i64 op;
    i64 type;
    const s32 *a;
    const s32 *b; /* not read by kvred */
    s32 *d;
    i64 size_bytes;
    i64 beat_bytes;
    i64 delay; /* cycles from the first read to the first write */
    i64 start_up; /* the same if nothing waits */
    u32 shift;
    u32 mask_shift;
    bool overlaps;         /* the result overlaps an operand: order matters */
    bool repeats_low_half; /* bytes with one lane */
    bool held;             /* the first write had to wait, and the machine loses beats then */
    VectorFunction own;    /* of a unit of the machine; NULL: of the table */
    u32 scalar;            /* of own */
    u32 c;
} Reduction;
/* The result word is rewritten with the partial sum in every beat; `sums` has room for all sums. */
void vcu_reduce(const Reduction *r, s32 *sums);

/* ---- vcu_beats.c */
/* PORT_SHARED: vector and scalar share a read port, the first beat gets the vector's line and no
   scalar. PORT_TAKEN: every beat gets the scalar's line, since the first one had to wait. */
typedef enum Port { PORT_FREE, PORT_SHARED, PORT_TAKEN } Port;
typedef struct Beats {
    i64 op;
    i64 type;
    s32 *spm;  /* all words of it; a, b, d index them */
    s32 *temp; /* room for the vector */
    i64 a;
    i64 b; /* of the second vector, or of a scalar that every beat reads again */
    i64 d;
    i64 size_bytes;
    i64 lanes; /* words of a line */
    i64 beat_bytes;
    i64 delay; /* beats from a read to its write */
    u32 scalar;
    u32 shift;
    u32 mask_shift;
    bool vector_b;
    VectorFunction own; /* of a unit of the machine; NULL: of the table */
    u32 c;
    bool rereads; /* the scalar */
    Port port;    /* of the vector's scratchpad, which is of pad_words words from pad on */
    i64 pad;
    i64 pad_words;
    bool one_lane_bytes; /* two beats per word */
    bool clears;         /* a beat writes zeros over the words of the next */
} Beats;
/* An element-wise result in the order of the hardware, in which a beat may read the result of an
   earlier one. */
void vcu_by_beat(const Beats *v);

/* ---- vcu_timing.c */
typedef struct Times {
    i64 first_read;
    i64 first_write;
    i64 last;
} Times;
i64 bytes_per_beat(const Machine *m, const VectorKind *kind, i64 type);
/* Reserve the vector unit for one instruction that is issued in `cycle`, writes to_write cycles
   after its first read and for after_write cycles more. sources: bit mask of the scratchpads read;
   target: the one written. Updates the busy times of the unit and of waiting harts. */
Times schedule(Machine *m, const VectorKind *kind, i64 unit, i64 cycle, i64 to_write,
               i64 after_write, u32 sources, i64 target);
/* Warn if a hart of a multithreaded unit disturbs the adder that another one uses. */
void watch_carries(State *st, const VectorKind *kind, i64 h, i64 cycle, const Times *t);

/* ---- arbiter.c */
/* Issue an instruction of hart h that needs some functional units. runs: it does not trap and has
   a length. The cycle of the first read and the last busy one are predictions; NEVER for a hart
   that waits without end. */
Times request_units(State *st, i64 harts, i64 h, u32 needed, i64 cycle, i64 to_write,
                    i64 after_write, i64 read_free, i64 write_free, bool runs);

#endif
