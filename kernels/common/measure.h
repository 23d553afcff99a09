/*
 * Measurement frame of one kernel; the file that calls it is generated from kernel.yaml. The process
 * that loads the program writes numbers and operands to measure_arguments, measure_places and
 * measure_words, and reads the result from them.
 *
 * The measured region begins with the first instruction of the kernel and ends at the symbol
 * mark_measured. One load precedes this symbol: it waits until the last transfer of the kernel has
 * reached memory, so the time to completion includes transfers that the kernel leaves active.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "fx.h"
#include "gnomon.h"

#ifndef MEASURE_WORDS
#error "measure.h: define MEASURE_WORDS: room for operands and result, in words"
#endif

/* volatile: the loader provides the values, so the compiler must not assume them. */
extern volatile uint32_t measure_arguments[8]; /* the last parameters of the kernel */
extern volatile uint32_t measure_places[8];    /* of operands, result and workspace, in words */
extern fx_t measure_words[MEASURE_WORDS];

#define MEASURE_ARGUMENT(i) (measure_arguments[i])
#define MEASURE_OPERAND(i) (&measure_words[measure_places[i]])

/* Defines main around one call. */
#define MEASURE(call) MEASURE_MAIN(call, )

/* The same, for a kernel that returns an fx_status, stored after the measured region. */
#define MEASURE_STATUS(call)           \
    volatile uint32_t measure_status; \
    MEASURE_MAIN(const enum fx_status status = call, measure_status = status)

/* Code of harts other than 0, if the kernel uses them. */
#ifdef KERNEL_HELPER
#define MEASURE_HELP(hart)                \
    if (hart != 0) {                      \
        KERNEL_HELPER((uint32_t)hart);    \
        return 0;                         \
    }
#else
#define MEASURE_HELP(hart) (void)hart;
#endif

#define MEASURE_MAIN(call, after)             \
    volatile uint32_t measure_arguments[8];   \
    volatile uint32_t measure_places[8];      \
    fx_t measure_words[MEASURE_WORDS];        \
    int main(int hart)                        \
    {                                         \
        MEASURE_HELP(hart)                    \
        call;                                 \
        (void)*(volatile fx_t *)measure_words; \
        GNOMON_MARK(measured);                \
        after;                                \
        return 0;                             \
    }

#endif
