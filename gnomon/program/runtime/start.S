/*
 * Start-up and program protocol.
 *
 * Every hart starts at _start. Harts below GNOMON_ACTIVE_HARTS call main(hart), the others park.
 * The return value of main on hart 0 is the exit code of the program; the other harts park when
 * they return. If harts must wait for each other, main does it: start-up does not.
 */
#include "machine.h"

#define EXIT_ADDRESS 0x1A10FFF0
#define PRINT_ADDRESS 0x1A10FFF4
#define MSTATUS_MIE 8

    .option norelax
    .section .vectors, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    jal zero, gnomon_reset
    .org 0x14                           /* the T13 resets mtvec to this place */
    .globl gnomon_trap_vector
gnomon_trap_vector:
    jal zero, gnomon_trap
    .size _start, . - _start

    .section .text.start, "ax", @progbits
    .globl gnomon_reset
    .type gnomon_reset, @function
gnomon_reset:
    /* Registers hold anything at power-up; programs that read them must not differ by that. */
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    addi x\n, zero, 0
    .endr
#ifndef GNOMON_NO_CSRS
    la t0, gnomon_trap_vector
    csrw mtvec, t0
#endif
#if GNOMON_CORE_T13
    li t0, 0x3ff                        /* PCER: the counters do not count until it is written */
    csrw 0x7a0, t0
#endif
#ifndef GNOMON_NO_CSRS
    csrr a0, mhartid
    li t0, GNOMON_ACTIVE_HARTS
    bgeu a0, t0, gnomon_park
#endif
    la gp, __global_pointer$
    la sp, _stack_top
#ifndef GNOMON_NO_CSRS
    li t1, GNOMON_STACK_BYTES
#ifdef __riscv_mul
    mul t1, t1, a0
    sub sp, sp, t1
#else
    mv t0, a0
0:  beqz t0, 1f
    sub sp, sp, t1
    addi t0, t0, -1
    j 0b
1:
#endif
#endif
#ifdef GNOMON_CLEAR_BSS
    /*
     * For devices, whose memory holds anything at power-up. A simulated memory is zero, so the
     * cycles would only disturb measurements. Hart 0 clears, the others wait.
     */
    la t0, gnomon_bss_is_clear
    bnez a0, 2f
    la t1, _bss
    la t2, _bss_end
0:  bgeu t1, t2, 1f
    sw zero, 0(t1)
    addi t1, t1, 4
    j 0b
1:  li t1, 1
    sw t1, 0(t0)
2:  lw t1, 0(t0)
    beqz t1, 2b
#endif
#ifdef GNOMON_COPY_DATA
    /* The program is in a rom or flash; hart 0 copies the data to where it runs, others wait. */
    la t0, gnomon_data_is_copied
#ifndef GNOMON_NO_CSRS
    bnez a0, 6f
#endif
    la t1, _data_copied
    la t2, _data_copied_end
    la a1, _data_load
4:  bgeu t1, t2, 5f
    lw a2, 0(a1)
    sw a2, 0(t1)
    addi t1, t1, 4
    addi a1, a1, 4
    j 4b
5:  li t1, 1
    sw t1, 0(t0)
6:  lw t1, 0(t0)
    beqz t1, 6b
#endif
    addi ra, zero, 0
    call main
#ifndef GNOMON_NO_CSRS
    csrr t0, mhartid
    bnez t0, gnomon_park
#endif
    /* Hart 0 falls through with the exit code in a0. */
    .size gnomon_reset, . - gnomon_reset

    .globl gnomon_exit
    .type gnomon_exit, @function
gnomon_exit:
    li t0, EXIT_ADDRESS
    sw a0, 0(t0)
0:  j 0b                                /* a device continues; a simulation has ended */
    .size gnomon_exit, . - gnomon_exit

    .globl gnomon_park
    .type gnomon_park, @function
gnomon_park:
#ifdef GNOMON_NO_CSRS
0:  j 0b
#else
    li t0, MSTATUS_MIE                  /* wfi sleeps only while interrupts are enabled */
    csrw mstatus, t0
0:  wfi
    j 0b
#endif
    .size gnomon_park, . - gnomon_park

    /* Print cause and place, end with 0xDEAD0000 + cause. A program may define its own. */
    .weak gnomon_trap
    .type gnomon_trap, @function
gnomon_trap:
#ifdef GNOMON_NO_CSRS
    j gnomon_trap                       /* the cause is unavailable */
#else
    csrr t0, mcause
    csrr t1, mepc
    li t2, PRINT_ADDRESS
    sw t0, 0(t2)
    sw t1, 0(t2)
    slli a0, t0, 16
    srli a0, a0, 16
    li t1, 0xDEAD0000
    or a0, a0, t1
    j gnomon_exit
#endif
    .size gnomon_trap, . - gnomon_trap

#ifdef GNOMON_CLEAR_BSS
    /* In .data, so that the loader of the program sets it to 0. */
    .section .data.gnomon_bss_is_clear, "aw", @progbits
    .balign 4
gnomon_bss_is_clear:
    .word 0
#endif

#ifdef GNOMON_COPY_DATA
    .section .bss.gnomon_data_is_copied, "aw", @nobits
    .balign 4
gnomon_data_is_copied:
    .zero 4
#endif
