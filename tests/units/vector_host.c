#include <stdint.h>
#include "units.h"
#include "vcu.h"
#ifdef __riscv
#include "gnomon.h"
#endif

#define WORDS 16

uint32_t results(int which);

static uint32_t a[WORDS], b[WORDS], out[WORDS];

uint32_t results(int which)
{
    uint32_t seed = 1, check = 0;
    for (int k = 0; k < WORDS; k++) {
        a[k] = seed = seed * 1664525u + 1013904223u;
        b[k] = seed = seed * 1664525u + 1013904223u;
        out[k] = 0;
    }
    const uint32_t x = VCU_SPM(0), y = VCU_SPM(1), d = VCU_SPM(2);
    kmemld(x, a, 4 * WORDS);
    kmemld(y, b, 4 * WORDS);
    kmemld(d, out, 4 * WORDS);
    vcu_set_mvsize(4 * WORDS - 2);
    vcu_set_mvtype(which == 1 || which == 3 ? VCU_16_BIT : VCU_8_BIT);
    switch (which) {
    case 0: vmadd(d, x, y, 0x12345683); break;
    case 1: vabove(d, x, 0xFFFF9000); break;
    case 2: vnear(d, x, y); break;
    case 3: vpow(d, x, -9); break;
    default: kdot8(d, x, y); break;
    }
    kmemstr(out, d, 4 * WORDS);
    for (int k = 0; k < WORDS; k++) check = check * 31 + ((volatile uint32_t *)out)[k];
    return check;
}

#ifdef __riscv
int main(void)
{
    for (int k = 0; k < 5; k++) gnomon_print(results(k));
    return 0;
}
#endif
