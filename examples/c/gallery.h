/* What the programs of the gallery share: input, and a place where harts wait for each other. */
#include <stdio.h>

#include "machine.h"
#include "vcu.h"

/* The vector version, where the machine has a unit; -D SCALAR leaves it out. */
#if VCU_AVAILABLE && !defined SCALAR
#define VECTOR 1
#else
#define VECTOR 0
#endif

/* The next of a row of numbers that look random, from -limit to limit - 1; a power of two. */
static inline int draw(unsigned *state, int limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)(*state >> 16 & (2u * (unsigned)limit - 1)) - limit;
}

/*
 * Wait until all harts have come here as often; what they have written can be read behind it. A
 * load takes a cycle from the other harts, so it looks seldom.
 */
static inline void meet(int hart)
{
    static volatile int came[8];
    came[hart]++;
    for (int other = 0; other < GNOMON_ACTIVE_HARTS; other++)
        while (came[other] < came[hart])
            for (int k = 0; k < 8; k++) __asm__ volatile("nop");
}
