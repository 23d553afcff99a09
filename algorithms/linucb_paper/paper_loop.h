/* Loops that are not unrolled, as in the published build (GCC at -O2). */
#ifndef PAPER_LOOP_H
#define PAPER_LOOP_H

#include <stdint.h>

#if defined(__clang__)
#define PAPER_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define PAPER_ROLLED _Pragma("GCC unroll 1")
#endif
#define FOR(index, count) PAPER_ROLLED for (uint32_t index = 0; index < (uint32_t)(count); ++index)
#define FOR_DOWN(index, count) PAPER_ROLLED for (uint32_t index = (uint32_t)(count); index-- > 0;)

#endif
