/* Cycles of the simulator as processor time. There is no calendar: time() is not available, -1. */
#ifndef GNOMON_TIME_H
#define GNOMON_TIME_H

#include <stddef.h>

#include "gnomon.h"

typedef long long time_t;
typedef unsigned long clock_t;
struct timespec { time_t tv_sec; long tv_nsec; };

#define CLOCKS_PER_SEC ((clock_t)GNOMON_CLOCK_HZ)

static inline clock_t clock(void) { return gnomon_cycle(); }
time_t time(time_t *to);

#endif
