/*
 * out = a + b or a - b on the vector unit, element by element; vcu instructions only.
 *
 * Bound by the one transfer engine: 1 cycle per word to load, 2 to store, so 4 cycles per element,
 * against 1 / SIMD in the vector unit. So the operands are split into chunks, and each chunk is
 * computed while a chunk of the other pair of scratchpads is loaded or stored. A transfer cannot
 * start while the vector unit is busy, but the vector unit can start during a transfer.
 */
#ifndef FX_ELEMENTWISE_H
#define FX_ELEMENTWISE_H

#include "fx_vector.h"

/* Below this many words, a second chunk costs more cycles than it hides. Measured. */
#ifndef FX_ADD_SPLIT_WORDS
#define FX_ADD_SPLIT_WORDS 48u
#endif

static inline uint32_t fx_chunk_bytes(uint32_t bytes)
{
    uint32_t chunk = bytes;
    if (bytes >= 4u * FX_ADD_SPLIT_WORDS) {
        chunk = (bytes / 2u + 3u) & ~3u;
    }
    return chunk < (uint32_t)VCU_SPM_BYTES ? chunk : (uint32_t)VCU_SPM_BYTES;
}

/* One chunk: first operand and result in scratchpad `pair`, second operand in the next one. */
static inline void fx_elementwise_chunk(uint32_t pair, int subtract)
{
    if (subtract) {
        ksubv(pair, pair, pair + VCU_SPM_BYTES);
    } else {
        kaddv(pair, pair, pair + VCU_SPM_BYTES);
    }
}

static inline void fx_elementwise(const fx_t *a, const fx_t *b, fx_t *out, uint32_t count,
                                  int subtract)
{
    const char *a_next = (const char *)a;
    const char *b_next = (const char *)b;
    char *out_next = (char *)out;
    uint32_t left = 4u * count; /* bytes of operands not yet used */
    uint32_t size = fx_chunk_bytes(left);
    uint32_t here = VCU_SPM(0), other = VCU_SPM(2); /* first scratchpads of the two pairs */
    if (count == 0) {
        return;
    }
    kmemld(here, a_next, size);
    kmemld(here + VCU_SPM_BYTES, b_next, size);
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mvsize(size);
    left -= size;
    uint32_t next = left < size ? left : size;
    a_next += size;
    b_next += size;
    if (next != 0) {
        kmemld(other, a_next, next);
    }
    fx_elementwise_chunk(here, subtract); /* while the next chunk of a is loaded */
    while (next != 0) {
        const uint32_t done = here;
        kmemld(other + VCU_SPM_BYTES, b_next, next);
        kmemstr(out_next, done, size);
        vcu_set_mvsize(next);
        fx_elementwise_chunk(other, subtract); /* while the chunk before is stored */
        out_next += size;
        a_next += next;
        b_next += next;
        size = next;
        left -= next;
        next = left < size ? left : size;
        here = other;
        other = done;
        if (next != 0) {
            kmemld(other, a_next, next);
        }
    }
    kmemstr(out_next, here, size);
}

#endif
