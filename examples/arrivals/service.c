/*
 * Requests arrive in a queue; the core sleeps until one waits, and serves it. The queue and the
 * program are one run, so that each request waits for the cycles that earlier ones really took.
 *
 *     gnomon run examples/arrivals/service.c --arch examples/arrivals/board.yaml
 */
#include "gnomon.h"
#include <stdint.h>

#define TAKE ((volatile uint32_t *)0x30000000u)
#define DONE ((volatile uint32_t *)0x30000004u)
#define LEFT ((volatile uint32_t *)0x3000000Cu)
#define MIE_EXTERNAL 0x800u
#define TAPS 32u
#define LONG_EVERY 8u /* every eighth request needs four times the work */

static int32_t line[TAPS];

/* A filter whose work depends on the request. */
__attribute__((noinline)) static int32_t serve(uint32_t number) {
    int32_t sum = 0;
    const uint32_t rounds = number % LONG_EVERY ? 2u : 8u;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t k = TAPS - 1; k > 0; k--) line[k] = line[k - 1];
        line[0] = (int32_t)(number * 7u + round);
        for (uint32_t k = 0; k < TAPS; k++) sum += line[k] * (int32_t)(k + 1);
    }
    return sum;
}

int main(int hart) {
    int32_t sum = hart;
    /* Interrupts stay off: wfi ends when a request waits, and no handler is needed. */
    __asm__ volatile("csrw mie, %0" ::"r"(MIE_EXTERNAL));
    while (*LEFT) {
        const uint32_t number = *TAKE;
        if (!number) {
            __asm__ volatile("wfi" ::: "memory");
            continue;
        }
        sum += serve(number);
        *DONE = number;
    }
    return sum & 0x7F;
}
