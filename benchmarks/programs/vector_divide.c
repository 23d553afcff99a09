/* Vector divisions of random numbers of all lengths, on every hart, REPEATS times. */
#include <stdint.h>

#include "gnomon.h"
#include "vcu.h"

#define WORDS 64
#define BYTES (4u * WORDS)

static int32_t a[GNOMON_ACTIVE_HARTS][WORDS], b[GNOMON_ACTIVE_HARTS][WORDS];

int main(int hart)
{
    const uint32_t part = BYTES * (uint32_t)hart;
    const uint32_t x = VCU_SPM(0) + part, y = VCU_SPM(1) + part, z = VCU_SPM(2) + part;
    uint32_t state = 1u + (uint32_t)hart;
    for (int i = 0; i < WORDS; i++) {
        state = state * 1664525u + 1013904223u;
        a[hart][i] = (int32_t)state >> (i & 15);
        b[hart][i] = (int32_t)(state * 40503u) >> (i >> 1 & 31);
    }
    vcu_set_mvsize(BYTES);
    vcu_set_mvtype(VCU_32_BIT);
    kmemld(x, a[hart], BYTES);
    kmemld(y, b[hart], BYTES);
    for (int r = 0; r < REPEATS; r++) {
        kvdiv(z, x, y);
        kvdiv(z, y, x);
    }
    kmemstr(a[hart], z, BYTES);
    return a[hart][0] & 0x7fffffff;
}
