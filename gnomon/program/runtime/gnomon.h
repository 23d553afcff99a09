/*
 * Interface of programs: the protocol with the simulator, and markers for measured regions.
 *
 * A program defines   int main(int hart);   or   int main(void);   so main is not declared here. It
 * runs on harts 0 .. GNOMON_ACTIVE_HARTS - 1. Its return value on hart 0 is the exit code of the
 * program.
 */
#ifndef GNOMON_H
#define GNOMON_H

#include <stdint.h>

#if !__STDC_HOSTED__

#include "machine.h"

#define GNOMON_PRINT_ADDRESS 0x1A10FFF4u
#define GNOMON_CYCLE_ADDRESS 0x1A10FFF8u
#define GNOMON_CONSOLE_ADDRESS 0x1A10FFFCu
#define GNOMON_ABORTED 0x200u /* as the cause of a trap; the causes of the machines are smaller */

/* End the program now, from any hart. */
void gnomon_exit(int code) __attribute__((noreturn));

/* End the program now as a crash: gnomon run names the hart, and the line of the call. */
__attribute__((noreturn, noinline, unused)) static void gnomon_abort(void) {
    *(volatile uint32_t *)GNOMON_PRINT_ADDRESS = GNOMON_ABORTED;
    *(volatile uint32_t *)GNOMON_PRINT_ADDRESS = (uint32_t)__builtin_return_address(0) - 4;
    gnomon_exit((int)(0xDEAD0000u | GNOMON_ABORTED));
}

/* Stop this hart for good: it sleeps until the program ends. */
void gnomon_park(void) __attribute__((noreturn));

/* Print one character on the simulator's console; <stdio.h> has printf. */
static inline void gnomon_put(int character) {
    *(volatile uint32_t *)GNOMON_CONSOLE_ADDRESS = (uint8_t)character;
}

/* Print one word. */
static inline void gnomon_print(uint32_t word) {
    *(volatile uint32_t *)GNOMON_PRINT_ADDRESS = word;
}

/* The cycle in which this load issues. Simulation only: devices have no such register. */
static inline uint32_t gnomon_cycle(void) {
    return *(volatile uint32_t *)GNOMON_CYCLE_ADDRESS;
}

/* Number of this hart; 0 on machines without CSRs, which have one hart. */
static inline int gnomon_hart(void) {
#ifdef GNOMON_NO_CSRS
    return 0;
#else
    int hart;
    __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
    return hart;
#endif
}

#if GNOMON_CORE_T13
/* Store a word and return the previous one, in one step (amoswap.w, for locks). */
static inline uint32_t gnomon_swap(volatile uint32_t *place, uint32_t word) {
    uint32_t before;
    /* Encoded by hand, as the A extension is off: the machines have no other atomic instruction. */
    __asm__ volatile(".insn r 0x2f, 2, 0x04, %0, %1, %2"
                     : "=&r"(before)
                     : "r"(place), "r"(word)
                     : "memory");
    return before;
}
#else
uint32_t gnomon_swap(volatile uint32_t *place, uint32_t word); /* rejected when it is linked */
#endif

/*
 * Mark a place by a symbol, mark_<name>, without instructions and cycles. Like any barrier, it
 * keeps the compiler from moving memory accesses across. Its function must exist only once:
 * declare it noinline, or the assembler reports a symbol that is defined twice.
 */
#define GNOMON_MARK(name) \
    __asm__ volatile(".globl mark_" #name "\nmark_" #name ":" ::: "memory")

#else

#if __has_include("machine.h")
#include "machine.h"
#endif

#define GNOMON_MARK(name) ((void)0)

#endif

/* A measured function: its symbol is the region, from its entry to its return. */
#define GNOMON_REGION __attribute__((noinline))

#endif
