/*
 * Operands longer than a scratchpad come in chunks, whose sums the integer core adds. The result
 * is written to memory in between: it is the only way out of a scratchpad.
 */
#define FX_SCRATCHPADS 2
#include "fx_vector.h"
#include "dot.h"

/* Sum of one chunk to the first word of scratchpad 0. */
static inline void chunk_dot(const fx_t *a, const fx_t *b, uint32_t bytes, int each)
{
    kmemld(VCU_SPM(0), a, bytes);
    vcu_set_mvsize(bytes);
    kmemld(VCU_SPM(1), b, bytes);
    ksrav(VCU_SPM(0), VCU_SPM(0), FX_PRE_SHIFT_A); /* while b is loaded */
    ksrav(VCU_SPM(1), VCU_SPM(1), FX_PRE_SHIFT_B);
    if (each) {
        kdotpps(VCU_SPM(0), VCU_SPM(0), VCU_SPM(1));
    } else {
        kdotp(VCU_SPM(0), VCU_SPM(0), VCU_SPM(1));
    }
}

static inline void dot(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count, int each)
{
    uint32_t sum = 0, size = 0;
    *out = 0;
    vcu_set_mvtype(VCU_32_BIT);
    for (uint32_t i = 0; i < count; i += size) {
        size = count - i < FX_SPM_WORDS ? count - i : FX_SPM_WORDS;
        chunk_dot(&a[i], &b[i], 4u * size, each);
        kmemstr(out, VCU_SPM(0), 4);
        sum += *(const volatile uint32_t *)out; /* waits for the transfer */
    }
    *out = each ? (fx_t)sum : (fx_t)sum >> FX_POST_SHIFT;
}

void fx_dot_vector_floor_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count)
{
    dot(a, b, out, count, 0);
}

void fx_dot_vector_floor_each_wrap(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count)
{
    vcu_set_mpsclfac(FX_POST_SHIFT);
    dot(a, b, out, count, 1);
}
