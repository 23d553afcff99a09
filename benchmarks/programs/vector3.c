/*
 * Vector work on every hart, REPEATS times: load, add, scale, dot product, store. The harts use
 * different parts of the scratchpads, and nothing is loaded into the scratchpad of the dot products
 * (the T13 loses beats of a sum that waits for a transfer), so the result does not depend on who
 * shares a vector unit.
 */
#include <stdint.h>

#include "gnomon.h"
#include "vcu.h"

#define WORDS 64
#define BYTES (4u * WORDS)

static int32_t a[GNOMON_ACTIVE_HARTS][WORDS], b[GNOMON_ACTIVE_HARTS][WORDS];
static int32_t scaled[GNOMON_ACTIVE_HARTS][WORDS];
static volatile uint32_t dot[GNOMON_ACTIVE_HARTS];
static volatile uint32_t result[GNOMON_ACTIVE_HARTS], done[GNOMON_ACTIVE_HARTS];

static uint32_t work(int hart)
{
    uint32_t part = BYTES * (uint32_t)hart;
    uint32_t x = VCU_SPM(0) + part, y = VCU_SPM(1) + part, z = VCU_SPM(2) + part;
    uint32_t w = VCU_SPM(3) + part;
    uint32_t sum = 0;
    for (int i = 0; i < WORDS; i++) {
        a[hart][i] = 7 * i - 100 * hart + 1;
        b[hart][i] = 5 * i - 3 * hart - 90;
    }
    vcu_set_mvsize(BYTES);
    vcu_set_mvtype(VCU_32_BIT);
    vcu_set_mpsclfac(3);
    kmemld(y, b[hart], BYTES);
    for (int r = 0; r < REPEATS; r++) {
        kmemld(x, a[hart], BYTES);
        kaddv(z, x, y);
        ksvmulrf(z, z, 3u + (uint32_t)r);
        kmemstr(scaled[hart], z, BYTES);
        kdotpps(w, z, y);
        kmemstr((void *)&dot[hart], w, 4);
        sum = 31 * sum + dot[hart]; /* waits for the transfer */
        a[hart][r % WORDS] += scaled[hart][(r + 5) % WORDS];
    }
    return sum;
}

int main(int hart)
{
    result[hart] = work(hart);
    done[hart] = 1;
    uint32_t sum = 0;
    for (int h = 0; hart == 0 && h < GNOMON_ACTIVE_HARTS; h++) {
        while (!done[h]) { /* the program ends when hart 0 returns */
        }
        sum = 31 * sum + result[h];
    }
    return (int)(sum & 0x7fffffff);
}
