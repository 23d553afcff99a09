/* Jumps out of functions: ra, sp and s0 to s11 are saved. */
#ifndef GNOMON_SETJMP_H
#define GNOMON_SETJMP_H

typedef int jmp_buf[14];

int setjmp(jmp_buf place) __attribute__((returns_twice));
void longjmp(jmp_buf place, int value) __attribute__((noreturn));

#endif
