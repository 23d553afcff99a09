/*
 * A timer tick: the core sleeps, the timer wakes it every millisecond, and a line over the UART
 * says when. The exit code is the number of ticks.
 *
 *     gnomon run examples/tick/tick.c --arch examples/tick/board.yaml
 */
#include "gnomon.h"
#include <stdint.h>

#define MTIMECMP ((volatile uint32_t *)0x02004000u)
#define MTIME ((volatile uint32_t *)0x0200BFF8u)
#define UART ((volatile uint8_t *)0x10000000u)
#define LINE_STATUS 5
#define TRANSMITTER_EMPTY 0x20u
#define TICK_COUNTS 10000u /* of mtime: 1 ms */
#define TICKS 5u
#define MIE_TIMER 0x80u
#define MSTATUS_MIE 8u

static volatile uint32_t ticks;
static uint64_t next_tick;

static uint64_t read_time(void) {
    uint32_t high, low;
    do {
        high = MTIME[1];
        low = MTIME[0];
    } while (high != MTIME[1]);
    return (uint64_t)high << 32 | low;
}

/* The high word first gets a value that is never reached, so that no interrupt comes in between. */
static void set_timer(uint64_t time) {
    MTIMECMP[1] = UINT32_MAX;
    MTIMECMP[0] = (uint32_t)time;
    MTIMECMP[1] = (uint32_t)(time >> 32);
}

__attribute__((interrupt("machine"), aligned(4))) static void on_interrupt(void) {
    next_tick += TICK_COUNTS;
    set_timer(next_tick);
    ticks++;
}

static void print(const char *text) {
    for (; *text; text++) {
        while (!(UART[LINE_STATUS] & TRANSMITTER_EMPTY)) {
        }
        UART[0] = (uint8_t)*text;
    }
}

static void print_number(uint32_t number) {
    char digits[11];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10u);
        number /= 10u;
    } while (number);
    print(first);
}

int main(int hart) {
    (void)hart;
    __asm__ volatile("csrw mtvec, %0" ::"r"(on_interrupt));
    next_tick = read_time() + TICK_COUNTS;
    set_timer(next_tick);
    __asm__ volatile("csrw mie, %0" ::"r"(MIE_TIMER));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));
    for (uint32_t seen = 0; seen < TICKS;) {
        __asm__ volatile("wfi" ::: "memory");
        if (ticks == seen) continue;
        seen = ticks;
        print("tick ");
        print_number(seen);
        print(" at ");
        print_number((uint32_t)(read_time() / 10u));
        print(" us\n");
    }
    return (int)ticks;
}
