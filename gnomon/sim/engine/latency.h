/* Cycles that depend on operands, by latency model.

   gnomon/arch/operands.py describes the models: each looks cycles up by a number that the operands
   give. PROPERTIES, made from there, has the expressions of these numbers. The steps of dividers,
   which depend on all bits, are functions in latency.c: inlined, their registers would slow the
   other properties. */
#ifndef LATENCY_H
#define LATENCY_H
#include "engine.h"

#define WORD_BITS 32

/* Of a number below 2^63. */
static inline i64 bit_length(u64 value) { return 63 ^ __builtin_clzll(2 * value + 1); }

static inline i64 signs(u64 a, u64 b) {
    return 3 * (a ? 1 + (i64)(a >> 31) : 0) + (b ? 1 + (i64)(b >> 31) : 0);
}

i64 skip_steps(u64 dividend, u64 divisor, i64 width, i64 least_skip, i64 most_skip);
i64 high_frequency_steps(u64 dividend, u64 divisor, i64 width);
i64 high_performance_steps(u64 dividend, u64 divisor);

static inline u64 magnitude(u64 word) { return (s32)word < 0 ? 0u - (u32)word : word; }

/* For each property, of the operands as they are and of their magnitudes: the label or case AT, and
   USE, which must not end, with the expression of the number that `operand`, first shifted left,
   and `other` give. */
#define NUMBER(AT, WORD, USE, ...) AT: { \
        const u64 a = WORD(operand) << shift, b = WORD(other); \
        const i64 width = WORD_BITS + shift, first = l->first, second = l->second; \
        (void)a, (void)b, (void)width, (void)first, (void)second; \
        USE(__VA_ARGS__) }

static inline const OperandCycles *look_up(const Latency *l, u64 operand, u64 other, i64 shift) {
    switch (l->property) {
#define USE(...) return l->cycles + (__VA_ARGS__);
#define CASES(NAME, ...) \
        NUMBER(case 2 * PROPERTY_##NAME, , USE, __VA_ARGS__) \
        NUMBER(case 2 * PROPERTY_##NAME + 1, magnitude, USE, __VA_ARGS__)
        PROPERTIES(CASES)
#undef CASES
#undef USE
    }
    __builtin_unreachable();
}
#endif
