/* The engine: declarations that its parts share.

   All state is in the structs of structs.h, the only place where a field is described: Python reads
   that file. `Machine *m` holds pointers to all of them; Python owns the memory. Add a field
   there, and both sides have it.

   Conventions
   - Numbers of state are i64; cycles too. A register or an address is u32, a scratchpad or memory
     word s32. Shift and wrap on u32; signed overflow is undefined in C and stops a checked build.
   - Units count time in cycles of the whole machine; "last" is the last busy cycle.
   - A function that executes something returns 0, the cause of a trap, or -1 with the fault in
     `st->fault` and `st->fault_address`.
   - No globals that are written, no allocation: several machines may run at once.
   - The number of an instruction is OP_ and its name: ops.h, made from the table in gnomon/isa, has
     those and what each computes. The engine's own (OP_STALE ...) follow them, in
     state.h, which is generated with all numbers that both sides share.
   - Every access to ram and spm is checked against its memory before. Buffers that rows are
     written to have room for the longest instruction: engine_run returns before they are full.

   The loop is interp.h, included by loop.c for each kind of machine. Other instructions
   are in slow.c (all others), rare.c (traps, interrupts, sleep, CSRs). */
#ifndef ENGINE_H
#define ENGINE_H
#include "native.h"
#include "ops.h"
#include "state.h"

typedef int64_t i64;
typedef uint64_t u64;
typedef int32_t s32;
typedef uint32_t u32;
typedef uint8_t u8;

#define likely(c) __builtin_expect(!!(c), 1)
#define unlikely(c) __builtin_expect(!!(c), 0)
static inline i64 least(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 most(i64 a, i64 b) { return a > b ? a : b; }

/* Results of slow_step besides STOP codes. */
#define DONE (-1)
#define WAITS (-2) /* would issue after the limit: no effect yet */

/* Results of a loop besides STOP codes. */
#define RESUME (-3) /* continue, maybe in another loop */
#define LOOK (-4)   /* a watched instruction is next */
#define TRANSLATED (-5) /* a translated block is next */

#define TRAP_LENGTH 0x100
#define TRAP_NOT_SPM 0x101
#define TRAP_OVERRUN 0x102
#define TRAP_SAME_SPM 0x103

#define SWI_FIRST 0xFF00u
#define SWI_LAST 0xFFFFu

static inline Dynamic *dynamic(const Machine *m, i64 h, i64 index) {
    return &m->dyn[h * m->words + index];
}
/* Entry of the instruction at an address; with RV32C there is one for each halfword. */
static inline i64 entry_index(const Machine *m, u32 pc) {
    return (pc - (u32)m->cfg->ibase) >> m->cfg->ishift;
}
/* Bytes of an instruction. */
static inline u32 size_of_instruction(const Machine *m, const Entry *e) {
    return m->cfg->ishift == 2 ? 4 : e->at;
}
/* Attribute the wait of a jump for the second word of a 32-bit instruction at its target, if there
   is one; returns the cycles. `goal` may be outside of the memory. */
static inline i64 split_target(const Machine *m, i64 index, i64 goal) {
    const i64 cycles = m->cfg->split_target;
    if (!cycles || !(goal & 1) || goal >= m->words || m->decoded[goal].at != 4) return 0;
    m->acct[0].wait_fetch += cycles;
    dynamic(m, 0, index)->wait_fetch += cycles;
    return cycles;
}
static inline bool is_misfetch(const Machine *m, u32 pc) {
    return (pc - (u32)m->cfg->ibase) & ((1u << m->cfg->ishift) - 1);
}
static inline Flow *flow_of(const Machine *m, i64 h) { return m->flow + h * (m->words + 1); }
/* Count `times` more issues of each of some words. */
static inline void count_issues(const Machine *m, i64 h, i64 first, i64 words, i64 times) {
    flow_of(m, h)[first].issues += times;
    flow_of(m, h)[first + words].issues -= times;
}
/* Account for cycles in execute beyond the static ones. */
static inline void book_execute(const Machine *m, i64 h, i64 index, i64 cycles) {
    flow_of(m, h)[index].execute += cycles;
}
static inline u32 *registers(const Machine *m, i64 h) { return m->regs + h * REGISTERS; }
/* Whether an operation is of a family of instructions: their numbers are one range. */
#define IS_OF(FAMILY, o) ((o) >= OP_FIRST_##FAMILY && (o) <= OP_LAST_##FAMILY)
static inline bool is_jump(i64 o) { return IS_OF(JUMP, o); }
static inline bool is_branch(i64 o) { return IS_OF(BRANCH, o); }
static inline bool is_load(i64 o) { return IS_OF(LOAD, o); }
static inline bool is_store(i64 o) { return IS_OF(STORE, o); }
static inline bool is_vector(i64 o) { return o >= OP_FIRST_KDSP && o <= OP_LAST_VECTOR_UNIT; }
static inline bool is_transfer(i64 o) { return IS_OF(KMEM, o); }
static inline bool waits_for_lsu(i64 o) {
    return is_load(o) || is_store(o) || is_transfer(o) || o == OP_AMOSWAP_W || o == OP_LOAD_X0 ||
           o == OP_ILLEGAL_LSU || o == OP_ILLEGAL_KMEM;
}
/* The second operand of an instruction that computes: of rs2, which holds b, or the immediate. */
static inline u32 second_operand(const Entry *e, u32 b) {
    return READS[e->op] & READS_RS2 ? b : (u32)e->imm;
}
/* An instruction of a unit: slow.c and harts that run ahead call its C function, which translated
   blocks contain. */
static inline bool is_unit(i64 o) { return o >= OP_FIRST_UNIT && o <= OP_LAST_UNIT; }
typedef u32 (*UnitFunction)(void *state, u32 a, u32 b, u32 c);
static inline u32 unit_result(const Machine *m, i64 h, const Entry *e, const u32 *x) {
    const Unit *const u = &m->units[e->op - OP_FIRST_UNIT];
    return ((UnitFunction)u->function)(m->unit_state + u->state + h * u->state_step, x[e->rs1],
                                       x[e->rs2], u->third ? x[e->imm] : (u32)e->imm);
}
/* The state of all units for a hart; NULL without units. */
static inline u8 *hart_state(const Machine *m, i64 h) {
    return m->unit_state ? m->unit_state + m->hart_state + h * m->hart_state_bytes : NULL;
}
static inline bool is_csr(i64 o) { return IS_OF(CSR, o); }
static inline bool csr_clears(i64 o) { return o == OP_CSRRC || o == OP_CSRRCI; }
/* Set and clear forms with x0 or 0 only read. */
static inline bool csr_writes(const Entry *e) {
    return e->op == OP_CSRRW || e->op == OP_CSRRWI || e->rs1 != 0;
}
/* The value that a CSR instruction writes to a register that holds m. */
static inline u32 csr_written(const Entry *e, u32 m, const u32 *regs) {
    const u32 a = regs[e->rs1], i = (u32)e->rs1;
    switch (e->op) {
#define CASE(NAME, STORED) case OP_##NAME: return STORED;
        OPS_CSR(CASE)
#undef CASE
    }
    return m;
}
/* How a memory serves a transfer. */
typedef struct Speed {
    i64 waits, access_words, burst;
} Speed;
/* That of the data memory. */
static inline Speed usual_speed(const Config *cfg) {
    return (Speed){cfg->data_waits, cfg->access_words, cfg->burst};
}
/* Wait states of the first `accesses` accesses of a transfer. */
static inline i64 burst_waits(const Speed *s, i64 accesses) {
    return s->waits * ((accesses + s->burst - 1) / s->burst);
}
/* Cycles in which the memory grants access k of a transfer, counted from its issue. */
static inline i64 access_cycle(const Speed *s, i64 k, bool store) {
    return 1 + (store ? 2 * k : k) + burst_waits(s, k + 1);
}
static inline i64 accesses_of(const Speed *s, i64 words) {
    return (words + s->access_words - 1) / s->access_words;
}
/* Busy cycles after the issue: a load requests one word too many, a store alternates between
   reading its scratchpad and writing. */
static inline i64 transfer_cycles(const Speed *s, i64 words, bool store) {
    const i64 accesses = accesses_of(s, words);
    return store ? access_cycle(s, accesses - 1, true) + 1 : access_cycle(s, accesses, false);
}
/* Accelerator of a hart. */
static inline i64 unit_of(const Machine *m, i64 h) { return m->cfg->sharing == SHARED ? 0 : h; }

/* ---- loop.c: until an instruction would issue after the quantum, or something needs Python.
   Returns a STOP code; another call continues exactly there. */
EXPORT i64 engine_run(Machine *m);
/* In-order core: first cycle in which the registers that an instruction reads hold their values. */
EXPORT i64 engine_operands_ready(const Machine *m, const Entry *e);

/* ---- slow.c: one instruction of hart h that would issue in `cycle` if nothing stalls it.
   DONE, WAITS or a STOP code; st holds issue cycle, `busy`, `next_pc`, `retried`, `extra_slots`.
   e: the entry without marks. irq: an interrupt is pending and the instruction can take it. */
i64 slow_step(Machine *m, i64 h, const Entry *e, i64 index, u32 pc, i64 cycle, i64 limit, bool irq);

/* ---- hot.c: translated blocks, the second tier. window.h has those of several harts. */
/* Execute from the next instruction on in translated blocks, as far as they go; or say in
   st->hot_from when to try again. */
void run_hot(Machine *m);
/* A word of a translated block has been written. */
bool hot_is_stale(const Machine *m);
/* Attribute the executions of blocks to the issues of their words. */
void fold_hot(Machine *m);

/* ---- record.c: while m->path is set. */
/* Record an instruction that would issue in *cycle, and make all units idle; it may then issue
   later. DONE, or a STOP code: no effect yet. */
i64 record_slow_step(Machine *m, i64 h, const Entry *e, i64 *cycle);
/* After an instruction: let the loop stop at the first load or store after a transfer. */
void watch_lsu(Machine *m);

/* ---- rare.c */
/* Execute st->rare. Returns 0 to continue, or a STOP code; STOP_DECODE: no effect yet. */
i64 execute_rare(Machine *m);
/* Past slots of hart h: rotation is strict, so they follow from the total. */
EXPORT i64 engine_issued(const Machine *m, i64 h);
/* Cycles in which hart h has held the execute stage before the present instruction. */
EXPORT i64 engine_own_cycles(const Machine *m, i64 h);
/* Attribute the slots of parked harts up to now. */
EXPORT void engine_settle(Machine *m);
/* Give every parked hart its slots again: from now on a trace needs each one. */
EXPORT void engine_wake_slots(Machine *m);
static inline bool keeps_slots(const Machine *m) { return m->cfg->keep_slots || m->st->counting; }
void link_harts(Machine *m);
/* Harts whose instruction, which they repeat, was overwritten. */
void wake_rewritten(Machine *m, i64 slots_before);

/* ---- calls.c: bring the tree up to date with the recorded rows, and empty them. */
EXPORT void engine_follow_calls(Machine *m, CallTree *tree);

/* ---- memory.c: the data bus. Addresses need not be aligned: they denote the word around them. */
enum { BUS_OK, BUS_ERROR, BUS_FAULT };
i64 ram_word(const Machine *m, u32 address); /* index of a RAM word, or -1 outside the memories */
bool in_swi_hole(const Machine *m, u32 address);
/* The window with an address; NULL: none. */
static inline const Window *window_at(const Machine *m, u32 address) {
    for (const Window *w = m->windows; w < m->windows + m->window_count; w++)
        if (address - (u32)w->base < w->size) return w;
    return NULL;
}
/* Wait states of an access beyond data_waits; negative: fewer. */
i64 more_waits(const Machine *m, u32 address);
Speed speed_at(const Machine *m, u32 address);
u32 instruction_at(const Machine *m, i64 index); /* the word, or the halfword, of an entry */
int read_word(Machine *m, u32 address, u32 enables, i64 cycle, s32 *value);
/* enables: bit 0 = lowest byte; the value is already in its byte lanes. */
int write_word(Machine *m, u32 address, u32 value, u32 enables, i64 cycle);
/* A word of a kmemstr, written at the issue of the kmemstr whatever the cycle. */
int transfer_word(Machine *m, u32 address, u32 value, i64 cycle);
/* Written instructions that earlier fetches do not see (core.quirks.fetched_before_store). Let all
   fetches from cycle `fetched` on see earlier writes. */
void finish_writes(Machine *m, i64 fetched);
bool is_late(const Machine *m, i64 index);

static inline void ask_host(Machine *m, i64 cycle) {
    m->st->host = HOST_ASKED;
    m->st->host_cycle = cycle;
}

/* A byte of the text that the run prints. */
void print_character(Machine *m, u32 value);

/* ---- devices.c */
Device *device_at(const Machine *m, u32 address); /* NULL: none */
/* The word around an address; enables and value as in write_word. */
u32 read_device(Machine *m, Device *d, u32 address, u32 enables, i64 cycle);
void write_device(Machine *m, Device *d, u32 address, u32 value, u32 enables, i64 cycle);
/* Machine interrupts of an in-order core: bits of mie and mip. */
#define INTERRUPT_SOFTWARE 0x008u
#define INTERRUPT_TIMER 0x080u
#define INTERRUPT_EXTERNAL 0x800u
/* Those requested in a cycle, enabled or not. */
u32 pending_interrupts(Machine *m, i64 cycle);
/* First cycle from `from` on in which one that mie enables may be pending, whatever mstatus; NEVER:
   none. Before it none is. */
i64 next_interrupt(Machine *m, i64 from);
/* First cycle from `from` on in which one that mie enables is pending. */
i64 wake_cycle(Machine *m, i64 from);
/* Masters: devices that access the memory. Their first step; and their steps up to a cycle, which
   come before an access of the core in that cycle. */
void start_masters(Machine *m);
void run_masters(Machine *m, i64 cycle);
/* What the code of a device may call, with the number of the device: add a byte to the text of the
   run; within its step, access the memory; the wait states of an address; report an error. */
EXPORT void engine_device_print(Machine *m, i64 number, u32 byte);
EXPORT u32 engine_device_load(Machine *m, i64 number, u32 address);
EXPORT void engine_device_store(Machine *m, i64 number, u32 address, u32 value, u32 lanes);
EXPORT i64 engine_device_waits(Machine *m, i64 number, u32 address);
EXPORT void engine_device_fail(Machine *m, i64 number);
/* After an instruction that has accessed devices: their next events. */
void plan_after_access(Machine *m);
/* Interrupts that a device requests now, as bits of mip. */
EXPORT u32 engine_device_level(Machine *m, i64 number);
/* Find the next event again: after a change of mie, mstatus or the request of a device. */
void plan_interrupt(Machine *m);

/* Morph sends no bus request for a store to its two pages of software interrupts. */
static inline bool is_silent(const Machine *m, u32 address) {
    return m->cfg->is_morph && address >> 9 == SWI_LAST >> 9;
}

/* ---- accesses.c: loads, stores and swaps anywhere: outside data RAM, misaligned, rejected. */
bool crosses_word(i64 o, u32 address);
i64 load_step(Machine *m, i64 o, u32 *target, u32 address, i64 cycle);
i64 store_step(Machine *m, i64 o, u32 address, u32 value, i64 cycle);
i64 amo_step(Machine *m, u32 *target, bool discard, u32 address, u32 value, u32 enables,
             i64 first, i64 last);

/* ---- latency.c: cycles that depend on operands. */
#define LANE_LATENCY 0 /* row of `latencies` */
/* All cycles by a row of `latencies`: in execute, or of one division of a lane, whose dividend a is
   first shifted left. */
EXPORT i64 operand_cycles(const Machine *m, i64 row, u32 a, u32 b, i64 shift);
/* Account for the cycles of an instruction of hart h by its operands, beyond its static ones, and
   for the wait for the next instruction; returns the sum. */
i64 book_operands(Machine *m, i64 h, i64 index, u32 a, u32 b);
/* The same for the wait alone. */
i64 book_operand_wait(Machine *m, i64 h, i64 index, i64 cycles);

/* ---- divide.c: vector division. */
/* Cycles of one lane; 0 if an operand is zero. */
EXPORT i64 lane_cycles(const Machine *m, s32 x, s32 y, i64 shift);
i64 step_cycles(i64 slowest);
/* Divide `words` words and write them; a, b, d index words of spm. Busy cycles from the first
   read; *first_write: those until the first write. */
EXPORT i64 divide_vector(Machine *m, i64 o, i64 a, i64 b, i64 d, i64 words, s32 scalar, i64 shift,
                  bool vector_b, i64 *first_write);
i64 narrow_division(Machine *m, i64 d, i64 words, i64 *first_write);
EXPORT void scaled_products(Machine *m, i64 o, i64 a, i64 b, i64 d, i64 words, i64 per_beat, i64 delay,
                     s32 scalar, i64 shift, bool vector_b, bool hazard);

/* ---- records.c */
void record_span(Machine *m, i64 unit, i64 first, i64 last, u32 rd, u32 rs1, u32 rs2, i64 bytes);
void record_request(Machine *m, i64 cycle, bool write, u32 address, u32 enables, u32 data);
static inline bool sees_requests(const Machine *m) { return m->cfg->bus || m->st->counting; }

/* ---- events.c: while some hart counts events: a request of a load, a store or a swap; a transfer,
   always; an issue. */
void count_request(Machine *m, bool store);
void note_transfer(Machine *m, i64 cycle, i64 last, bool store);
bool counts_events(const Machine *m, u32 pcer);
void count_issue(Machine *m, i64 h, i64 index, i64 cycle);

/* ---- waits.c: waiting for a busy unit: in decode, or by trying again in every slot. */
/* Wait in decode until the unit busy up to `last` is idle; returns the issue cycle. Adds to *cause
   (of hart h's account) and *spot (the same cause of its Dynamic), and charges hart h + 1. */
i64 stall(Machine *m, i64 h, i64 *cause, i64 *spot, i64 cycle, i64 last);
/* Attribute the retries of a vector instruction whose unit is busy; for a hart alone in the
   rotation, all at once. Returns their number. */
i64 retry(Machine *m, i64 h, const Entry *e, i64 index, i64 busy_until, i64 cycle, i64 limit);
bool all_stuck(const Machine *m);

/* ---- vector_csr.c: an access to a vector register or a read of mhartid; false: another one. */
bool vector_csr(Machine *m, i64 h, const Entry *e);

/* ---- transfer.c: kmemld, kmemstr, kbcastld. 0, trap cause, or -1. */
EXPORT i64 transfer_issue(Machine *m, i64 h, i64 o, u32 rd, u32 rs1, u32 rs2, i64 cycle);

/* Words of the scratchpads that are read or written; of the latter, which ever were. */
static inline void pads_read(const Machine *m, i64 first, i64 words) {
    const u8 *each = m->written + first;
    if (unlikely(!*each || memcmp(each, each + 1, (size_t)words - 1)))
        m->st->warnings |= WARN_UNWRITTEN;
}
static inline void pads_written(const Machine *m, i64 first, i64 words) {
    memset(m->written + first, 1, (size_t)words);
}

/* ---- vcu.c, whose other declarations are in vcu.h */
/* A vector instruction whose unit is idle. After a trap the unit stays idle. */
/* third: of an instruction of a unit, the number of a register, or the third operand. */
EXPORT i64 vector_issue(Machine *m, i64 h, i64 o, u32 rd, u32 rs1, u32 rs2, i64 third, i64 cycle);
/* One that traps or has no length: it requests units, without effect. */
void void_issue(Machine *m, i64 h, i64 o, i64 cycle);
/* Number of the scratchpad at an address; -1 = none, traps; -2 = none, undetected. */
i64 scratchpad(const Machine *m, u32 address);

#endif

