/* Recorded paths and their price on other machines: what Python calls. */
#ifndef PATH_H
#define PATH_H
#include "vcu.h"

/* ---- record.c: run until a region starts or ends (STOP_MARK; call again to go on), a buffer is
   nearly full (STOP_BUFFER), the path cannot be priced (REFUSED), or as engine_run says. Words of
   divisions carry marks, and those of regions; other events come up in slow steps.

   All units are idle at every event: what is in flight there is worked out when the path is
   priced. */
EXPORT i64 engine_record(Machine *m, Path *p);

/* ---- retime.c: of m, only the configuration and its latency tables are read. */
/* Cycles of each lane of each vector division. */
EXPORT void engine_lane_cycles(const Machine *m, const Path *p);
/* Fill in p->times and p->held_sum. Returns by how many cycles the machine is later at the end. */
EXPORT i64 engine_retime(const Machine *m, Path *p);

#endif
