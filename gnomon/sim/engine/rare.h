/* Declarations shared by rare operations: rare.c, csr.c, counters.c, wires.c. */
#ifndef RARE_H
#define RARE_H
#include "engine.h"

#define CSR_MIMPID_CLEAN 0xF13 /* its address in an ISA-clean core */

/* csr.c */
u32 status_value(const Hart *hart); /* value of mstatus: MIE, MPIE, machine mode in MPP */
void update_pending(Machine *m, i64 h);
bool csr_access(Machine *m, i64 h, const Entry *e); /* false: denied */

/* counters.c */
i64 read_mcycle(const Machine *m, i64 h);
i64 read_minstret(const Machine *m, i64 h);
void write_pcer(Machine *m, i64 h, u32 value);
void write_mcycle(Machine *m, i64 h, i64 value);
void write_minstret(Machine *m, i64 h, i64 value);

/* events.c */
u32 read_event_counter(Machine *m, i64 h, u32 address);
void write_event_counter(Machine *m, i64 h, u32 address, u32 value);
void settle_events(Machine *m, i64 h); /* before PCER changes */
void choose_counting(Machine *m);      /* after PCER changed */

/* rare.c: let parked harts have their slots one by one. slots_before: as in book_parked. */
void wake_slots(Machine *m, i64 slots_before);

/* wires.c */
u32 address_wires(const Machine *m, i64 h, u32 pc);

#endif
