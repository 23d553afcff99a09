/*
 * A preemptive kernel in one file: a tick of the timer switches tasks, a task can yield (ecall) or
 * wait for a tick, and main is the idle task, which sleeps. The exit code is the number of beats;
 * each task's result is printed, and does not depend on who was interrupted when.
 *
 *     gnomon run examples/kernel/kernel.c --arch examples/kernel/board.yaml --profile
 */
#include <stdint.h>

#define MTIMECMP ((volatile uint32_t *)0x02004000u)
#define MTIME ((volatile uint32_t *)0x0200BFF8u)
#define UART ((volatile uint8_t *)0x10000000u)
#define TICK_COUNTS 200u /* of mtime */
#define CAUSE_TIMER 0x80000007u
#define CAUSE_ECALL 11u
#define MIE_TIMER 0x80u
#define MSTATUS_MIE 0x8u

#define TASKS 4 /* task 0 is main */
#define STACK_WORDS 128
#define FRAME_WORDS 32 /* mepc in place of x0, then x1 to x31; sp is in no frame */

typedef struct Task {
    uint32_t *frame; /* its registers, on its stack */
    uint32_t wake;   /* tick at which it is ready */
    uint32_t ended;
} Task;

static Task tasks[TASKS];
static uint32_t stacks[TASKS][STACK_WORDS] __attribute__((aligned(16)));
uint32_t kernel_stack[STACK_WORDS] __attribute__((aligned(16)));
static uint32_t current;
static volatile uint32_t tick, switches;

/* Save all registers of the task on its stack, and load those of the task that schedule chooses. */
#define EACH_REGISTER(DO) \
    DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) \
    DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) \
    DO(30) DO(31)
#define SAVE(n) "sw x" #n ", 4 * " #n "(sp)\n"
#define LOAD(n) "lw x" #n ", 4 * " #n "(sp)\n"
__asm__(".section .text.enter_kernel, \"ax\"\n.balign 4\n.globl enter_kernel\n"
        ".type enter_kernel, @function\n"
        "enter_kernel:\n"
        "addi sp, sp, -128\n" SAVE(1) EACH_REGISTER(SAVE)
        "csrr t0, mepc\nsw t0, 0(sp)\n"
        "mv a0, sp\ncsrr a1, mcause\nla sp, kernel_stack + 512\n"
        "call schedule\n"
        "mv sp, a0\nlw t0, 0(sp)\ncsrw mepc, t0\n" LOAD(1) EACH_REGISTER(LOAD)
        "addi sp, sp, 128\nmret\n.size enter_kernel, . - enter_kernel\n");
extern char enter_kernel[];

/* The high word first gets a value that is never reached, so that no interrupt comes in between. */
static void set_timer(uint64_t time) {
    MTIMECMP[1] = UINT32_MAX;
    MTIMECMP[0] = (uint32_t)time;
    MTIMECMP[1] = (uint32_t)(time >> 32);
}

static int is_ready(const Task *task) { return !task->ended && (int32_t)(tick - task->wake) >= 0; }

/* Called with interrupts off; returns the frame of the next task. */
__attribute__((noinline, used)) uint32_t *schedule(uint32_t *frame, uint32_t cause) {
    tasks[current].frame = frame;
    if (cause == CAUSE_ECALL) frame[0] += 4;
    if (cause == CAUSE_TIMER) {
        tick++;
        set_timer((uint64_t)(tick + 1) * TICK_COUNTS);
    }
    const uint32_t before = current;
    for (uint32_t k = 1; k <= TASKS; k++) {
        const uint32_t next = (before + k) % TASKS;
        if (next && is_ready(&tasks[next])) {
            current = next;
            switches += current != before;
            return tasks[current].frame;
        }
    }
    current = 0;
    return tasks[0].frame;
}

static void yield(void) { __asm__ volatile("ecall" ::: "memory"); }

static void wait_until(uint32_t wake) {
    tasks[current].wake = wake;
    yield();
}

static void end_task(void) {
    tasks[current].ended = 1;
    for (;;) yield();
}

static void start_task(uint32_t number, void (*body)(void)) {
    uint32_t *const frame = stacks[number] + STACK_WORDS - FRAME_WORDS;
    frame[0] = (uint32_t)(uintptr_t)body;
    frame[1] = (uint32_t)(uintptr_t)end_task; /* ra */
    tasks[number].frame = frame;
}

/* ---- the tasks ---- */

static uint32_t hash, sum, beats, beat_ticks[5];

static void hash_numbers(void) {
    uint32_t x = 1;
    for (uint32_t k = 0; k < 6000; k++) x = (x ^ k) * 16777619u + (x >> 13);
    hash = x;
}

static void sum_squares(void) {
    uint32_t x = 0;
    for (uint32_t k = 0; k < 3000; k++) {
        x += k * k;
        if (k % 50 == 0) yield();
    }
    sum = x;
}

static void beat(void) {
    for (beats = 0; beats < 5; beats++) {
        wait_until(3 * (beats + 1));
        beat_ticks[beats] = tick;
    }
}

/* ---- the console ---- */

static void print(const char *text) {
    for (; *text; text++) UART[0] = (uint8_t)*text;
}

static void print_number(const char *name, uint32_t number) {
    char digits[11];
    char *first = digits + sizeof digits - 1;
    *first = '\0';
    do {
        *--first = (char)('0' + number % 10u);
        number /= 10u;
    } while (number);
    print(name);
    print(first);
    print("\n");
}

int main(void) {
    start_task(1, hash_numbers);
    start_task(2, sum_squares);
    start_task(3, beat);
    __asm__ volatile("csrw mtvec, %0" ::"r"(enter_kernel));
    MTIME[0] = 0;
    set_timer(TICK_COUNTS);
    __asm__ volatile("csrw mie, %0" ::"r"(MIE_TIMER));
    __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE));
    while (!(tasks[1].ended && tasks[2].ended && tasks[3].ended))
        __asm__ volatile("wfi" ::: "memory");
    __asm__ volatile("csrc mstatus, %0" ::"r"(MSTATUS_MIE));
    print_number("hash ", hash);
    print_number("sum ", sum);
    for (uint32_t k = 0; k < beats; k++) print_number("beat at tick ", beat_ticks[k]);
    print_number("ticks ", tick);
    print_number("switches ", switches);
    return (int)beats;
}
