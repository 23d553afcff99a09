/* Results of vector instructions, bit by bit: elements and shifted lanes.

   A lane is computed by the instruction table; shifts of narrow lanes are those of the shifter,
   which works on words. Source: the T13x RTL (3264 cases of
   tests/reference/t13x/vector_semantics.csv). */
#include "vcu.h"

/* Lanes of scratchpad words; the words themselves are of another type. */
typedef int8_t lane_8;
typedef int16_t lane_16;
typedef int32_t lane_32;

/* Results are in place or elsewhere, never over operands of another iteration: callers ensure it.
   */
#ifdef __clang__
#define INDEPENDENT_TURNS _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT_TURNS _Pragma("GCC ivdep")
#endif

#define LOOP(NAME, ELEMENT, BITS)                                                                  \
    static void NAME##_##BITS(lane_##BITS *d, const lane_##BITS *a, const lane_##BITS *b,          \
                              i64 count, u32 scalar, u32 n) {                                      \
        (void)a, (void)b, (void)scalar, (void)n;                                                   \
        INDEPENDENT_TURNS                                                                          \
        for (i64 k = 0; k < count; k++) {                                                          \
            const u32 x = OP_##NAME == OP_KBCAST ? scalar : (u32)a[k];                             \
            const u32 y = reads_vector_b(OP_##NAME) ? (u32)b[k] : (u32)(lane_##BITS)scalar;        \
            (void)x, (void)y;                                                                      \
            d[k] = (lane_##BITS)(u32)(ELEMENT);                                                    \
        }                                                                                          \
    }
#define LOOPS(NAME, ELEMENT) LOOP(NAME, ELEMENT, 8) LOOP(NAME, ELEMENT, 16) LOOP(NAME, ELEMENT, 32)
OPS_KDSP(LOOPS)

/* Shift words and repair their lanes the way the shifter does. The lane mask is computed
   from mask_shift, which may be wrong in hardware; the sign fill uses the real amount. */
static void shift_lanes(s32 *d, const s32 *a, i64 words, u32 bits, bool arithmetic, u32 shift,
                        u32 mask_shift) {
    const u32 ones = bits == 16 ? 0x00010001u : 0x01010101u;
    const u32 keep = ((1u << (bits - mask_shift)) - 1) * ones;
    const u32 full = (1u << bits) - 1;
    const u32 fill = arithmetic ? full & ~((1u << (bits - shift % bits - 1)) - 1) : 0;
    INDEPENDENT_TURNS
    for (i64 k = 0; k < words; k++) {
        const u32 word = (u32)a[k];
        d[k] = (s32)((word >> shift & keep) | (word >> (bits - 1) & ones) * fill);
    }
}

#define CASE(NAME, ELEMENT)                                                                        \
    case OP_##NAME:                                                                                \
        if (type == TYPE_32)                                                                       \
            NAME##_32((lane_32 *)d, (const lane_32 *)a, (const lane_32 *)b, words, scalar, shift); \
        else if (type == TYPE_16)                                                                  \
            NAME##_16((lane_16 *)d, (const lane_16 *)a, (const lane_16 *)b, 2 * words, scalar,     \
                      shift);                                                                      \
        else                                                                                       \
            NAME##_8((lane_8 *)d, (const lane_8 *)a, (const lane_8 *)b, 4 * words, scalar, shift); \
        break;

void vcu_elements(i64 o, i64 type, s32 *d, const s32 *a, const s32 *b, i64 words, u32 scalar,
                  u32 shift, u32 mask_shift) {
    if (type != TYPE_32 && (o == OP_KSRAV || o == OP_KSRLV)) {
        shift_lanes(d, a, words, type == TYPE_16 ? 16 : 8, o == OP_KSRAV, shift, mask_shift);
        return;
    }
    switch (o) {
        OPS_KDSP(CASE)
    default:
        break;
    }
}

u32 repeat_scalar(u32 value, i64 type) {
    if (type == TYPE_32)
        return value;
    return type == TYPE_16 ? (value & 0xFFFF) * 0x00010001u : (value & 0xFF) * 0x01010101u;
}
