/* Recorded paths and their price on other machines: the functions that Python calls. */
#ifndef PATH_H
#define PATH_H
#include "vcu.h"

/* ---- record.c: run until a region starts or ends (STOP_MARK; call again to continue), a buffer is
   nearly full (STOP_BUFFER), the path cannot be priced (REFUSED), or as for engine_run. Words of
   divisions and of regions carry marks; other events occur in slow steps.

   All units are idle at every event: pricing computes the operations in flight on another
   machine. */
EXPORT i64 engine_record(Machine *m, Path *p);

/* ---- retime.c: of m, only the configuration and its latency tables are read. */
/* Cycles of each lane of each vector division. */
EXPORT void engine_lane_cycles(const Machine *m, const Path *p);
/* Fill in p->times and p->held_sum. Returns the delay of the machine at the end, in cycles. */
EXPORT i64 engine_retime(const Machine *m, Path *p);

#endif
