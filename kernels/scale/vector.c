/* Bound by the transfers, 3 cycles per word; a chunk is computed while the next one is loaded. */
#include "fx_vector.h"
#include "scale.h"

/* Below this many words, a second chunk costs more cycles than it hides. Measured. */
#define SPLIT_WORDS 64u

static uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

void fx_scale_vector_floor_wrap(const fx_t *a, const fx_t *s, fx_t *out, uint32_t count)
{
    const uint32_t factor = (uint32_t)(*s >> FX_PRE_SHIFT_B);
    const char *a_next = (const char *)a;
    char *out_next = (char *)out;
    uint32_t left = 4u * count, here = VCU_SPM(0), other = VCU_SPM(2);
    if (count == 0) {
        return;
    }
    uint32_t size = count < SPLIT_WORDS ? left : 4u * ((count + 3u) / 4u);
    size = smaller(size, VCU_SPM_BYTES);
    const uint32_t chunk = size;
    kmemld(here, a_next, size);
    vcu_set_mvtype(VCU_32_BIT);
    do {
        vcu_set_mvsize(size);
        left -= size;
        a_next += size;
        const uint32_t next = smaller(left, chunk);
        if (next != 0) {
            kmemld(other, a_next, next);
        }
        ksrav(here, here, FX_PRE_SHIFT_A);
        ksvmulrf(here, here, factor);
        ksrav(here, here, FX_POST_SHIFT);
        kmemstr(out_next, here, size);
        out_next += size;
        size = next;
        const uint32_t swap = here;
        here = other;
        other = swap;
    } while (left != 0);
}
