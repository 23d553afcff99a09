/* The state of the engine: structs with named fields, described once. Python reads this file and
   sees each as a NumPy record (st["cycle"], harts["pc"][h]); state.h, which C includes, includes
   it. The engine can stop after any instruction and continue later: its whole state is here.

   The quirks of machines (CoreQuirks, VcuQuirks, MorphQuirks: a uint8_t each, 0 or 1) have the
   names of machine files, and are generated from their schema. */
#define FUNCTIONAL_UNITS 6 /* of a vector unit; multithreaded units share them */
#define MOST_FUNCTIONAL_UNITS 8 /* with those of units of the machine */
#define OWN_VECTOR 1
#define OWN_SCALAR 2
#define WINDOW_DATA 0
#define WINDOW_CODE 1 /* words that are decoded in advance: stores go through the bus */
#define WINDOW_READ_ONLY 2
#define EVENT_COUNTERS 6
#define LATE_WORDS 4 /* a written word arrives after the fetch of two slots */

/* One instruction, decoded. For CSR instructions imm is the address and rs1 the register
   or the immediate operand; for illegal words imm is the word. In the table of the
   loop, imm of a branch or jal is the distance to its target's entry in bytes; 0: none. */
typedef struct Entry {
    uint8_t op; /* OP_*: number in the ISA table, or one of the engine's own */
    uint8_t rd; /* SINK: discarded (but a vector instruction's rd may be 0) */
    uint8_t rs1;
    uint8_t rs2;
    int32_t imm;
    uint8_t extra; /* static cycles in execute beyond the first */
    uint8_t fetch; /* of these, waits for the next instruction (in-order core) */
    uint8_t latency; /* row of `latencies` if its cycles depend on operands; 0: they are static */
    uint8_t use; /* row of `uses`; 0: its result can be read at its end */
    uint32_t at; /* in that table: cycles from the first word to this one, without jumps; with
                    RV32C in both: bytes of the instruction */
} Entry;

/* The machine and what is recorded of it. */
typedef struct Config {
    int64_t harts; /* in the rotation */
    int64_t is_t13; /* strict rotation with an LSU; 0 = in-order core, timing from a table */
    int64_t is_morph; /* a T13 with the CSR unit and software interrupts of Klessydra Morph */
    int64_t serial; /* superscalar execution off: a busy LSU or VCU stalls every instruction */
    int64_t count_all, ibase, isize, dbase, dsize;
    int64_t ishift; /* log2 of the alignment of instructions in bytes: 2, with RV32C 1 */
    int64_t data_word0; /* index of the first data word in ram */
    int64_t data_waits; /* further cycles of each access to the data memory */
    int64_t elsewhere; /* of an access outside of all regions, beyond data_waits; 0 without regions */
    int64_t access_words; /* of a transfer */
    int64_t burst; /* accesses of a transfer with the wait states of one */
    int64_t protocol; /* unmapped loads return 0, stores are dropped; else they fault */
    int64_t reset_pc;
    int64_t branch_taken; /* extra cycles of a taken branch (in-order core) */
    int64_t has_vcu;
    int64_t simd; /* lanes */
    int64_t sharing; /* SHARED, REPLICATED, MULTITHREADED */
    int64_t spm_count;
    int64_t spm_size; /* bytes of one scratchpad, a power of two */
    int64_t spm_shift, spm_base;
    int64_t tracing; /* record every issue and every busy interval */
    int64_t keep_slots; /* sleeping harts keep their slots, which a trace needs */
    int64_t bus; /* record every request on the data bus (while tracing) */
    int64_t counts_events; /* the program accesses mhpmcounter3 or 6 to 10 (T13) */
    int64_t calls; /* record calls, returns and the stack pointer */
    int64_t stop_at_rare; /* return to Python before rare operations */
    int64_t hard_limit; /* last cycle in which an instruction may issue (max cycles) */
    int64_t split; /* misaligned loads and stores take two accesses instead of a trap */
    int64_t postscale; /* right shift of post-scaled products; -1 = MPSCLFAC */
    int64_t divide_zero_riscv;
    int64_t misaligned; /* cycles of a second access; 0 = as many as the first */
    int64_t fetch; /* wait for the next instruction: after each, and more after a redirect */
    int64_t redirect;
    int64_t taken_fetch; /* wait for the target of a taken branch beyond that of any instruction */
    int64_t split_target; /* wait for a target of 32 bits that lies in two words (RV32C) */
    int64_t interrupts; /* an in-order core takes machine interrupts, and wfi sleeps */
    int64_t entry; /* cycles in execute of such an interrupt */
    int64_t vectored; /* mtvec can be vectored */
    int64_t semihosting; /* an ebreak between two marks is a call of the host */
    int64_t tohost; /* index in ram of the word whose stores the host answers; 0 = none */
    CoreQuirks core;
    VcuQuirks vcu;
    MorphQuirks morph;
} Config;

#define FETCH_WORDS 16 /* of the queue and of decode, at most */
#define PREDICTIONS 64
#define PREDICTOR_STATIC 1 /* backward branches are taken */
#define PREDICTOR_ONE_ENTRY 2 /* the last backward branch that was taken */
#define PREDICTOR_TABLE 3 /* counters */

/* Fetch of an in-order core with a queue, a branch predictor or an instruction cache: its keys, and
   its state (fetch.c). Words are counted from the last redirect on. */
typedef struct Fetch {
    int64_t queue; /* words in front of decode; 0 = no queue */
    int64_t latency; /* cycles from the acceptance of a request until its word can issue */
    int64_t waits; /* wait states of the instruction memory */
    int64_t interval; /* cycles of an access to the port without wait states */
    int64_t target_delay; /* further cycles until the request of a target is accepted */
    int64_t shared; /* loads and stores use the same port */
    int64_t by_instruction; /* a word leaves the queue with its last instruction */
    int64_t memory_stage; /* wait states of a load or store begin after it has left decode */
    int64_t data_waits;
    int64_t always, redirect; /* without a queue: wait after each instruction, after a redirect */
    int64_t prefetch; /* cycles in execute that hide no wait states; NEVER = none hides any */
    int64_t taken_fetches, split_target;
    int64_t keeps_half; /* the upper half of the last word is not fetched again */
    int64_t split_next, split_again;
    int64_t predictor; /* PREDICTOR_* */
    int64_t entries; /* of its table, a power of two */
    int64_t bits; /* of a counter */
    int64_t tagged; /* each entry holds the pc of its branch */
    int64_t taken, hit, miss; /* more cycles of a branch: taken, predicted so, or wrongly */
    int64_t ways; /* of the cache; 0 = no cache */
    int64_t sets;
    int64_t line_shift; /* log2 of the bytes of a line */
    int64_t refill; /* wait of a miss */
    int64_t lined; /* all waits are static, except those for a line of a cache (lined.h) */
    int64_t quiet_shift; /* log2 of the bytes in which words in a row all wait `steady`; < 0: none */
    int64_t steady;
    int64_t quiet; /* address of the last fetch >> quiet_shift; < 0 before it */
    int64_t started;
    int64_t requested, taken_words; /* words */
    int64_t data[FETCH_WORDS]; /* by word: last cycle of its access */
    int64_t left[FETCH_WORDS]; /* by word: cycle in which it leaves the queue */
    int64_t halves[FETCH_WORDS]; /* by word: its halfwords that are executed */
    int64_t accepted; /* cycle in which the memory accepted the last request */
    int64_t port_free; /* first cycle in which the port accepts another */
    int64_t granted_from; /* first cycle in which no load or store has the address bus */
    int64_t word; /* address of the next word / 4, and its halfwords from the target on */
    int64_t word_halves;
    int64_t overhangs; /* a predicted branch ends in the first half of the next word */
    int64_t level; /* halfwords in decode; by_instruction: those used of the first word */
    int64_t since; /* cycle from which they are so many */
    int64_t entered; /* cycle in which the next instruction is in decode */
    int64_t turn; /* cycle in which it issues if it waits for nothing else */
    int64_t first_word; /* of the last redirect: address / 4 */
    int64_t waited; /* of the last instruction, for the next one */
    int64_t missed; /* of these, for a line of the cache */
    int64_t branch; /* pc + 1 of the predicted branch; 0 = none */
    int64_t branch_halves;
    int64_t target;
    int64_t pcs[PREDICTIONS]; /* by entry: pc + 1 */
    uint8_t counters[PREDICTIONS];
} Fetch;

/* Tags of the cache of loads (cache.c); the memory is always current. */
typedef struct DataCache {
    int64_t ways, sets;
    int64_t line_shift; /* log2 of the bytes of a line */
    int64_t waits; /* wait states in the static cycles of a load */
    int64_t spans; /* in `cached` */
} DataCache;

/* Addresses whose loads go through the cache. */
typedef struct CachedSpan {
    int64_t base, size; /* bytes */
    int64_t refill; /* wait of a miss */
} CachedSpan;

#define INTERLOCKS 64

/* Waits of an in-order core without a shared register (core.latency.interlocks), by entry. */
typedef struct Interlocks {
    int64_t cycles[INTERLOCKS]; /* from the end of an instruction of `of` to the issue of `to` */
    int64_t ends[INTERLOCKS]; /* of the last instruction of `of` */
    int64_t last; /* first cycle in which no instruction waits */
} Interlocks;

/* Cycles by a latency model for one number. */
typedef struct OperandCycles {
    int32_t cycles; /* in execute beyond the static ones; negative: fewer */
    int32_t wait; /* for the next instruction */
} OperandCycles;

/* A latency model (gnomon/arch/operands.py): cycles by a number that the operands give. */
typedef struct Latency {
    int32_t property; /* 2 x PROPERTY_*: how they give it; + 1: their magnitudes, they are signed */
    int32_t static_cycles; /* in execute, the first one included; of a lane 0 */
    int64_t first, second; /* parameters of the property */
    OperandCycles *cycles; /* by number */
} Latency;

/* Owners of the functional units that multithreaded vector units share. */
typedef struct Arbiter {
    int64_t cycle; /* the next to be computed */
    int64_t busy; /* units held in the cycle before */
    int64_t waiting; /* harts whose instruction waits */
    int64_t held[MOST_FUNCTIONAL_UNITS]; /* by unit, one bit per hart */
    int64_t wanted[MOST_FUNCTIONAL_UNITS];
    int64_t granted[MOST_FUNCTIONAL_UNITS];
    int64_t ring[MOST_FUNCTIONAL_UNITS]; /* by unit: harts in the order of their requests */
    int64_t write[MOST_FUNCTIONAL_UNITS]; /* by unit: place in the ring */
    int64_t read[MOST_FUNCTIONAL_UNITS];
    int64_t end[MAX_HARTS]; /* by hart: last busy cycle */
    int64_t first[MAX_HARTS]; /* first read */
    int64_t to_write[MAX_HARTS];
    int64_t after[MAX_HARTS];
    int64_t read_free[MAX_HARTS];
    int64_t write_free[MAX_HARTS];
} Arbiter;

/* A part of a region outside of the data memory in which all accesses are alike. */
typedef struct Window {
    int64_t base, size; /* bytes */
    int64_t word0; /* index of its first word in ram */
    int64_t more; /* wait states of an access beyond data_waits; negative: fewer */
    int64_t kind; /* WINDOW_* */
    int64_t access_words, burst; /* of a transfer */
} Window;

#define DEVICE_NS16550 1
#define DEVICE_CLINT 2 /* its registers are in Timer */
#define DEVICE_OWN 3 /* of a user: its code is in functions of its own */

/* A device in the memory map (devices.c). */
typedef struct Device {
    int64_t kind; /* DEVICE_* */
    int64_t base, size; /* bytes */
    int64_t stride; /* of an ns16550: bytes from one register to the next */
    int64_t external; /* it requests the external interrupt */
    int64_t divisor; /* its state, as the program has written it */
    int64_t interrupts, fifo, line, modem, scratch;
    int64_t emptied; /* the transmitter has become empty, and no read has shown it */
    int64_t waits; /* wait states of an access; negative: those of any other address */
    int64_t whole_words; /* no other access is allowed */
    int64_t reads, writes; /* so far */
    int64_t since; /* first cycle whose level shows the last access */
    int64_t touched; /* accessed by the present instruction */
    int64_t due; /* of a master: cycle of its next step; NEVER = none */
    void *state; /* of a user's device, and its functions; 0 = it does not have one */
    void *read;
    void *write;
    void *next;
    void *level;
    void *step;
} Device;

/* The registers of a clint. Those of 64 bits are kept as the same bits with a sign. */
typedef struct Timer {
    int64_t every; /* cycles of one count of mtime */
    int64_t offset; /* of mtime from cycle / every */
    int64_t compare; /* mtimecmp */
    int64_t software; /* msip */
    int64_t since; /* first cycle in which the registers hold this: after the last write */
    int64_t due; /* the timer interrupt is pending in that cycle, which shows the one before */
} Timer;

/* State of the machine between two instructions. */
typedef struct State {
    int64_t cycle; /* earliest issue cycle of the next instruction, which is of `hart` */
    int64_t hart;
    int64_t slots; /* issue slots so far, parked ones included */
    int64_t quantum_end; /* last cycle to issue in before returning to Python */
    int64_t pending; /* bit h: hart h has MIE and MSIP set */
    int64_t event; /* first cycle in which a machine interrupt can replace an instruction */
    int64_t replaced; /* one replaces the next instruction */
    int64_t look; /* the cycle in `event` has changed within the loop */
    int64_t host; /* an instruction needs an answer of the host: HOST_* */
    int64_t host_cycle; /* of the request */
    int64_t due; /* cycle of the next step of a device that accesses the memory; NEVER = none */
    int64_t touched; /* the present instruction has accessed a device */
    int64_t refilled; /* wait of the last load for its lines */
    int64_t of_device; /* of the last access to a device: its wait states, and first cycle after it */
    int64_t device_end;
    int64_t slept; /* of the last wfi: cycles asleep, and first cycle after it */
    int64_t sleep_end;
    int64_t exit_code;
    int64_t exit_cycle; /* -1 until the exit store is known */
    int64_t stop; /* STOP_HANG: every hart is blocked, counted by the loop */
    int64_t fault; /* FAULT_* */
    int64_t fault_address;
    int64_t fault_device; /* number of the device that caused it */
    int64_t warnings; /* WARN_* */
    int64_t lsu_last; /* last busy cycle of the LSU */
    int64_t amo_enables; /* byte enables left by the last load or store decoded */
    int64_t lsu_word; /* last word the transfer engine moved */
    int64_t transfer_last; /* transfer in flight: last busy cycle, scratchpad, accelerator mask */
    int64_t transfer_spm, transfer_units;
    int64_t bus_requests; /* by the transfer engine */
    int64_t vcu_last[MAX_HARTS]; /* last busy cycle of each accelerator */
    int64_t void_cycle; /* issue of the last vector instruction that trapped or had no length */
    int64_t held_from; /* multithreaded: when a write waits, not of the adder's user */
    int64_t held_to;
    int64_t held_hart; /* the highest such hart */
    int64_t adder_hart; /* last hart that requested the adder, and its end */
    int64_t adder_to, swi_target;
    int64_t trap_end; /* first cycle after the last trap left execute */
    int64_t step_over; /* execute the marked instruction */
    int64_t mark_cycle; /* issue cycle of the instruction stepped over */
    int64_t pause; /* bit h: stop before the next instruction of hart h, as before a marked one */
    int64_t watch; /* CALL_TRAP, CALL_TRAP_RETURN: record the next instruction to issue as that */
    int64_t rewritten; /* an instruction was overwritten that a hart may be repeating */
    int64_t text_writes; /* of instruction words, so far */
    int64_t counting; /* some hart counts events: instructions are executed individually */
    int64_t holder; /* while counting: the hart in execute */
    int64_t burst_next; /* requests of the last transfer that no event counter has seen: cycles */
    int64_t burst_end, burst_step, burst_stores;
    int64_t late; /* words written that are still to reach the instruction memory */
    int64_t late_index[LATE_WORDS]; /* the oldest first: word, its value, cycle on the bus */
    int64_t late_value[LATE_WORDS];
    int64_t late_cycle[LATE_WORDS];
    int64_t hot_from; /* cycle from which translated blocks are tried */
    int64_t several; /* more than one hart is awake */
    int64_t last_hart; /* of the last issue: hart, word, parked slots after it */
    int64_t last_index, last_gap;
    int64_t last_wait; /* cycles waited after the last instruction (serial execution) */
    int64_t last_wait_vcu; /* 1: for a vector unit; 0: for the LSU */
    int64_t operand_wait; /* for the next instruction, of the last one with a latency model */
    int64_t jumped; /* the last instruction was a branch that was taken (in-order core) */
    int64_t ready_last; /* first cycle in which all results are ready (in-order core) */
    int64_t ready[REGISTERS]; /* by register: first cycle in which all can read the result */
    int64_t made_by[REGISTERS]; /* by register: row of `uses` of its writer */
    int64_t older; /* of the last destination: when an earlier result in it is ready */
    int64_t busy; /* of a slow step: cycles in execute beyond the first */
    int64_t next_pc; /* of a slow step */
    int64_t retried; /* of a slow step: it was a VCU-busy retry */
    int64_t extra_slots; /* of a slow step */
    int64_t rare; /* RARE_*: operation to execute outside the loop, with its arguments */
    int64_t cause, value;
    int64_t prepared; /* the next instruction has been executed; take over its result */
    int64_t text_first; /* first and one past last word that can have been executed */
    int64_t text_end;
    int64_t unmapped_loads; /* of addresses without memory under the program protocol */
    int64_t unmapped_stores;
    int64_t unmapped_load; /* the first address of each */
    int64_t unmapped_store;
    int64_t missing_csrs; /* accesses to CSRs that the machine does not have, which read 0 */
    int64_t missing_csr_pc; /* of the first one */
    int64_t printed; /* rows used in each buffer */
    int64_t traced, spans, bus_rows, call_rows;
    int64_t bus_read; /* last word that a load or a swap read on the data bus */
    int64_t seen; /* of a slow step: its word, while toggles are counted */
    int64_t issuer; /* hart of the last issue, while toggles are counted; -1 before the first */
    Arbiter arbiter;
    Arbiter foreseen; /* a copy for predictions */
    int64_t own_units; /* vector units share functional units of the machine's units, too */
} State;

/* One hart. */
typedef struct Hart {
    int64_t pc;
    int64_t next; /* next active hart in rotation */
    int64_t gap; /* parked slots until then */
    int64_t parked; /* asleep and out of the rotation */
    int64_t park_issued; /* slots of this hart when it parked */
    int64_t own_extra; /* execute cycles beyond one per issue */
    int64_t charged; /* waits in decode charged to this hart */
    int64_t retries;
    int64_t stuck; /* never ends: parked slot by slot, or waiting for a hung VCU */
    int64_t mie, mpie, mtvec, mepc, mcause, msip, mbadaddr, mestatus, mscratch, mie_register;
    int64_t pcer;
    int64_t events; /* bits of mhpmevent3 and 6 to 10, where PCER has them */
    int64_t counted[EVENT_COUNTERS]; /* mhpmcounter3 and 6 to 10 */
    int64_t mvsize, mvtype, mpsclfac;
    int64_t cycle_base; /* counter value = clock - base while it counts */
    int64_t cycle_value; /* value while it is stopped */
    int64_t instret_base, instret_value;
    int64_t csr_read; /* last value that the CSR unit read for this hart (T13) */
    int64_t trap_pc, trap_cause, trap_repeats;
    int64_t trap_depth; /* traps entered, minus those left by mret */
    int64_t trap_slots; /* slots of this hart up to the end of the last trap */
    int64_t seen_next; /* word after that of the last issue, while toggles are counted; 0: none */
} Hart;

/* Cycles of one hart by cause, beyond those that Flow has by word. */
typedef struct Account {
    int64_t issue[CLASSES]; /* by class */
    int64_t execute[CLASSES]; /* by class */
    int64_t wait_lsu, wait_vcu, retry, trap, parked, wait_operand, wait_fetch;
    int64_t wait_icache, wait_dcache; /* for the refill of a line */
    int64_t wait_device; /* wait states of a device */
} Account;

/* Issues of one instruction word on one hart, and their cycles. It has the size of an Entry: the
   loop finds it at a fixed distance from there. */
typedef struct Flow {
    int64_t issues; /* beyond those of the word before it */
    int64_t execute; /* cycles in execute beyond the static ones */
} Flow;

/* Waits of one instruction word on one hart, and its slots by kind. */
typedef struct Dynamic {
    int64_t wait_lsu, wait_vcu, wait_operand, wait_fetch;
    int64_t trap; /* of traps, beyond their slots */
    int64_t retry; /* slots, from here on */
    int64_t parked, trapped;
    int64_t wait_icache, wait_dcache, wait_device;
} Dynamic;

/* Work of the vector unit by hart and operation. */
typedef struct VectorStat {
    int64_t issued, beats, bytes, busy;
    int64_t narrow; /* of those issued: with 8- or 16-bit elements */
} VectorStat;

/* Bus traffic of one instruction word, of all harts: by bus (BUS_*). */
typedef struct Toggles {
    int64_t values[BUSES];
    int64_t toggles[BUSES]; /* bits in which consecutive values differ */
} Toggles;

/* One issue, written while tracing. */
typedef struct TraceRow {
    int64_t cycle, hart, pc, word;
    int64_t extra; /* cycles in execute beyond the first, waits for the next instruction included */
    int64_t waits[5]; /* sums so far of the hart: LSU, VCU, operand, next instruction; traps */
} TraceRow;

/* A busy interval of a unit, written while tracing. */
typedef struct SpanRow {
    int64_t unit; /* SPAN_LSU, or number of the accelerator */
    int64_t start, last, rd, rs1, rs2, size_bytes;
} SpanRow;

/* A request on the data bus. */
typedef struct BusRow {
    int64_t cycle;
    int64_t enables; /* bytes written, bit 0 = lowest; 0 = a read */
    int64_t address; /* of the word */
    int64_t data; /* in its byte lanes; 0 for reads */
} BusRow;

/* Record after an instruction that may leave its function or move the stack. */
typedef struct CallRow {
    int64_t hart, index, next_pc, slots;
    int64_t beyond; /* cycles of the hart beyond one per issue */
    int64_t stack;
    int64_t kind; /* CALL_* */
} CallRow;

/* A call path: a function entered at a site from the function of the parent. */
typedef struct CallNode {
    int64_t parent, function;
    int64_t site; /* word of the instruction that entered it; -1 at reset */
    int64_t child; /* first one; -1 = none */
    int64_t next; /* of the same parent */
    int64_t calls;
    int64_t cycles; /* in units of 1 / harts: the rotation gives each hart one slot of this many */
} CallNode;

/* The calls of a hart. */
typedef struct Caller {
    int64_t depth; /* frames */
    int64_t up_to; /* cycles accounted for */
    int64_t booked; /* the node that got the last of them */
    int64_t base; /* stack pointer at its first call; -1 before */
    int64_t low; /* lowest one since, and the node of that */
    int64_t low_node;
    int64_t switched; /* the program gave the hart another stack: `low` is from before */
    int64_t deep; /* calls beyond the depth */
} Caller;

/* Calls followed so far. There is room for two nodes per row to follow. */
typedef struct CallTree {
    CallNode *nodes;
    int64_t count;
    Caller *callers; /* by hart */
    int64_t *frames; /* frames[h * max_depth + depth]: nodes */
    int64_t *returns; /* where each frame returns to; OF_TRAP */
    int64_t max_depth;
    int64_t *functions; /* by word: number of the function; 0 = none */
} CallTree;

/* Blocks in one form, compiled. */
typedef struct Translation {
    void *blocks; /* the function, see hot.h; 0 = none */
    void *table; /* Block, by number */
    int64_t count; /* of the blocks */
    int64_t *counts; /* executed since they were folded: counts[h * count + number] */
    int64_t *taken; /* of these, with their branch taken, where that costs cycles */
} Translation;

/* The second tier of a run. */
typedef struct Hot {
    Translation solo; /* for one hart awake */
    Translation runner; /* for several */
    uint8_t *lengths; /* by word: of the block of several harts that begins there; 0 = none */
    uint32_t *words; /* indices of all translated words */
    int64_t word_count;
    int64_t writes; /* of instruction words, when the translated ones were checked */
    int64_t forced; /* enter every block, however short the last run of blocks was */
    int64_t pause; /* cycles until the next attempt, after a short run */
    int64_t further; /* most cycles of a block beyond the static ones, before its last word */
    int64_t slowest; /* most cycles of an instruction in execute beyond the first */
    uint16_t *tags; /* by line of data RAM: who may read (bit h) and write (bit 8 + h) */
    int64_t tag_shift; /* log2 of the bytes of a line */
    int64_t journal; /* room by hart, in rows of trace and undo */
    uint32_t *trace;
    void *undo; /* Undo */
    void *operands; /* OperandPair */
    uint8_t *states; /* by hart: the states of units at the start of the window */
    int64_t window; /* slots of the next window, and most ever */
    int64_t largest_window;
    int64_t lsu_busy; /* the LSU was busy in the cycle before the window */
    int64_t windows; /* so far; for tests and tuning */
    int64_t rollbacks, conflicts, solo_instructions, runner_instructions;
} Hot;

/* An instruction of a unit of the machine. */
typedef struct Unit {
    void *function; /* UnitFunction */
    int64_t third; /* c is the value of register number imm; 0: it is imm */
    int64_t shared; /* it has state of all harts: their order matters */
    int64_t state; /* place of the state of hart 0 in `unit_state` */
    int64_t state_step; /* from the state of one hart to that of the next; 0: it is shared */
} Unit;

/* Properties of a vector instruction besides its elements. */
typedef struct VectorKind {
    uint8_t start_up; /* cycles from the first read to the first write; 0: given by the divider */
    uint8_t units; /* functional units that it needs, a bit each */
    uint8_t product; /* it needs the multiplier or the reduction tree: half rate on bytes */
    uint8_t reduction; /* its result is one word */
    uint8_t divides; /* division or remainder */
    uint8_t wide_only; /* one of the extensions, which have no hardware for narrow elements */
    uint8_t own; /* of a unit of the machine: its element widths, bit MVTYPE; 0: of the table */
    uint8_t own_b; /* of a unit, the second operand: OWN_VECTOR, OWN_SCALAR, or 0: none */
} VectorKind;

/* A vector instruction of a unit of the machine. */
typedef struct VectorUnit {
    VectorKind kind;
    void *function; /* VectorFunction */
    int64_t third; /* c is the value of register number imm; 0: it is imm */
} VectorUnit;

/* All data of a run. Python owns the arrays. */
typedef struct Machine {
    Config *cfg;
    State *st;
    Hart *hs; /* by hart */
    Account *acct; /* by hart */
    Dynamic *dyn; /* by hart and word: dyn[h * words + index] */
    Flow *flow; /* by hart and word, and one more: flow[h * (words + 1) + index] */
    VectorStat *vstat; /* vstat[h * INSTRUCTION_COUNT + op] */
    Latency *latencies; /* latency models: row 0 of each lane, the others of instructions */
    OperandCycles *operand_cycles; /* of all models, each at `cycles` of its row */
    uint8_t *latency_of; /* by operation: row of its model; 0 = none */
    int64_t *uses; /* by row: the most cycles from the end of an instruction until its result can
       be read; then cycles by operation and operand (rs1, rs2, rd); then, more by 1, by operation
       and register field, operand or not, 0: it does not wait; USE_ROW numbers */
    uint8_t *heeds; /* by operation: it may wait for instructions whose results it does not read */
    Entry *table; /* by word, as the loop sees them: STALE and marks replace operations */
    Entry *decoded; /* by word, without marks */
    int64_t words; /* of the instruction memory */
    uint32_t *regs; /* regs[h * REGISTERS + n] */
    int32_t *ram; /* instruction memory, then data memory, then other regions */
    int64_t ram_words;
    Window *windows; /* of regions, without the data memory; none if the machine has no regions */
    int64_t window_count;
    int32_t *spm; /* scratchpads, of all replicas */
    int64_t spm_words;
    uint8_t *written; /* by word of the scratchpads: 1 once it is written */
    int32_t *temp; /* room for one vector and a step */
    int64_t temp_words;
    int64_t *printed;
    int64_t printed_rows; /* room */
    TraceRow *trace;
    int64_t trace_rows; /* room */
    SpanRow *spans;
    int64_t span_rows; /* room */
    BusRow *bus;
    int64_t bus_rows; /* room */
    CallRow *calls;
    int64_t call_rows; /* room */
    Toggles *toggles; /* by word; 0 = not counted */
    uint32_t *buses; /* by bus: its last value */
    uint32_t *lane_buses; /* by unit, operand (two of all, two of products) and lane */
    uint32_t *multipliers; /* of the core, then by unit and lane: operands, rows and sums */
    uint32_t *pad_buses; /* by scratchpad, port (read, write) and bank */
    Hot *hot; /* the second tier; 0 = none */
    void *path; /* a Path that is being recorded; 0 = none */
    Unit *units; /* by operation, from FIRST_UNIT on */
    VectorUnit *vector_units; /* by operation, from FIRST_VECTOR_UNIT on */
    uint8_t *unit_state; /* that of all harts, then the states of each hart in one piece */
    int64_t hart_state; /* place of those of hart 0 */
    int64_t hart_state_bytes;
    Fetch *fetch; /* 0 = the waits for the next instruction are static */
    uint8_t *hides; /* by operation: further cycles in execute hide wait states */
    uint8_t *restarts; /* by operation: the fetch restarts with the next instruction */
    int64_t *lines; /* of the cache: by set, the last used first; 1 + number of the line */
    DataCache *dcache; /* 0 = loads go to the memory */
    CachedSpan *cached;
    int64_t *data_lines; /* as `lines`, of the data cache */
    Interlocks *interlocks; /* 0 = no instruction waits for a unit */
    int64_t *holding; /* by operation: entries that have it in `of`, a bit each */
    int64_t *held; /* the same of `to` */
    uint32_t *fields; /* by word of `decoded`: its instruction of 32 bits; 0 = none heeds others */
    Timer *timer; /* of the clint; 0 = none */
    Device *devices; /* none if the machine has none */
    int64_t device_count;
} Machine;
