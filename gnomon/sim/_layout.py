"""Where the engine keeps its state: column numbers of the state arrays.

The engine works on a handful of int64 arrays, so that it can stop after any instruction and go
on later. ``cfg`` is constant during a run, ``st`` is the machine, ``hs`` has one row per hart.
"""

from __future__ import annotations

from typing import Final

MAX_HARTS: Final = 8
NEVER: Final = 1 << 60  # a cycle that no run reaches

# --- cfg: the machine, constant during a run -------------------------------------------------
C_HARTS: Final = 0
C_IS_T13: Final = 1  # strict rotation with an LSU; 0 = in-order core, timing from a table
C_SERIAL: Final = 2  # superscalar execution off: a busy LSU or VCU stalls every instruction
C_COUNT_ALL: Final = 3
C_IBASE: Final = 4
C_ISIZE: Final = 5
C_DBASE: Final = 6
C_DSIZE: Final = 7
C_DWORD0: Final = 8  # index of the first data word in the RAM array
C_PROTOCOL: Final = 9  # unmapped loads return 0, stores are dropped; else they fault
C_RESET_PC: Final = 10
C_BRANCH_TAKEN: Final = 11  # extra cycles of a taken branch (in-order core)
C_HAS_VCU: Final = 12
C_SIMD: Final = 13
C_SHARING: Final = 14  # 0 shared, 1 replicated, 2 multithreaded
C_SPM_COUNT: Final = 15
C_SPM_SIZE: Final = 16
C_SPM_SHIFT: Final = 17
C_SPM_BASE: Final = 18
C_CORE_QUIRKS: Final = 19
C_VCU_QUIRKS: Final = 20
C_TRACING: Final = 21
C_HARD_LIMIT: Final = 22  # last cycle in which an instruction may issue (max cycles)
C_SPLIT: Final = 23  # misaligned loads and stores take two accesses instead of a trap
C_DIV_VARIABLE: Final = 24  # the scalar divider's cycles depend on its operands
C_DIV_LAW: Final = 25  # scalar divider: law and its two parameters
C_DIV_FIRST: Final = 26
C_DIV_SECOND: Final = 27
C_VDIV_LAW: Final = 28  # divider of each lane
C_VDIV_FIRST: Final = 29
C_VDIV_SECOND: Final = 30
C_POSTSCALE: Final = 31  # right shift of post-scaled products; -1 = MPSCLFAC
C_DIVIDE_ZERO_RISCV: Final = 32
C_MORPH_QUIRKS: Final = 33
C_LOAD_USE: Final = 34  # in-order core: cycles from the end of a load until its result is there
C_MUL_USE: Final = 35
C_MUL_PER_BIT: Final = 36  # extra cycles of mul per bit of its second operand beyond the first
C_DIV_ZERO: Final = 37  # cycles by which a division by zero is longer (negative: shorter)
C_MISALIGNED: Final = 38  # cycles of a second access; 0 = as many as the first
C_FETCH: Final = 39  # wait for the next instruction: after each, and more where fetch starts anew
C_REDIRECT: Final = 40
C_BUS: Final = 41  # record every request on the data bus (while tracing)
C_CALLS: Final = 42  # record calls, returns and the stack pointer
C_COUNT: Final = 48

# Core quirks, one bit each, in the order of the schema.
CORE_QUIRKS: Final = (
    "csr_set_clear_x0_is_nop",
    "op_rd_x0_is_nop",
    "load_rd_x0_is_nop",
    "amo_ignores_funct5",
    "amo_stale_byte_enables",
    "unknown_csr_reads_zero",
    "slli_ignores_funct7",
    "fetch_ignores_alignment",
    "boot_first_slot_repeats",
    "swi_stale_target",
    "mbadaddr_from_next_slot",
    "trap_sets_mpie",
    "counter_write_costs_others_a_cycle",
    "swi_store_writes_register",
)
Q_AMO_ENABLES: Final = 1 << 4
Q_UNKNOWN_CSR: Final = 1 << 5
Q_FETCH_ALIGN: Final = 1 << 7
Q_BOOT_REPEAT: Final = 1 << 8
Q_SWI_STALE: Final = 1 << 9
Q_MBADADDR: Final = 1 << 10
Q_TRAP_MPIE: Final = 1 << 11
Q_COUNTER_WRITE: Final = 1 << 12
Q_SWI_REGISTER: Final = 1 << 13

VCU_QUIRKS: Final = (
    "simd1_byte_products",
    "first_beat_width_of_hart0",
    "multithreaded_lane_mask",
    "kmemld_partial_word_repeats",
    "spm_check_fixed_to_four",
    "scalar_read_every_beat",
    "scalar_beside_vector",
    "byte_products_clear_ahead",
    "held_reduction_loses_beats",
)
Q_SIMD1_BYTES: Final = 1 << 0
Q_HART0_WIDTH: Final = 1 << 1
Q_LANE_MASK: Final = 1 << 2
Q_PARTIAL_WORD: Final = 1 << 3
Q_SPM_FOUR: Final = 1 << 4
Q_SCALAR_REREAD: Final = 1 << 5
Q_SCALAR_BESIDE: Final = 1 << 6
Q_CLEAR_AHEAD: Final = 1 << 7
Q_HELD_SUM: Final = 1 << 8

MORPH_QUIRKS: Final = (
    "divide_drops_signs",
    "divide_loses_short_vectors",
    "divide_narrow_is_zero",
    "divide_tail_lanes_gate",
    "postscale_reads_unsigned",
)
Q_DIVIDE_SIGNS: Final = 1 << 0
Q_DIVIDE_SHORT: Final = 1 << 1
Q_DIVIDE_NARROW: Final = 1 << 2
Q_DIVIDE_TAIL: Final = 1 << 3
Q_POSTSCALE_UNSIGNED: Final = 1 << 4

# --- st: the machine -------------------------------------------------------------------------
S_CYCLE: Final = 0  # earliest issue cycle of the instruction of S_HART
S_HART: Final = 1
S_SLOTS: Final = 2  # issue slots so far, parked ones included, current one included
S_LSU_LAST: Final = 3
S_PENDING: Final = 4  # bit h: hart h has MIE and MSIP set
S_STOP: Final = 5
S_FAULT: Final = 6
S_FAULT_ADDRESS: Final = 7
S_EXIT_CODE: Final = 8
S_EXIT_CYCLE: Final = 9  # -1 until the exit store is known
S_STEP_OVER: Final = 10  # execute the marked instruction underneath
S_MARK_CYCLE: Final = 11  # issue cycle of the instruction stepped over
S_PRINTED: Final = 12
S_TRACED: Final = 13
S_SPANS: Final = 14
S_SWI_TARGET: Final = 15
S_AMO_ENABLES: Final = 16  # byte enables left by the last load or store decoded
S_LSU_WORD: Final = 17  # last word the transfer engine moved
S_XFER_LAST: Final = 18  # transfer in flight: last busy cycle, scratchpad, accelerator mask
S_XFER_SPM: Final = 19
S_XFER_UNITS: Final = 20
S_WARNINGS: Final = 21
S_BUS_REQUESTS: Final = 22  # by the transfer engine
S_B: Final = 23  # extra execute cycles of the slow instruction just executed
S_NPC: Final = 24
S_RETRY: Final = 25  # the slow instruction was a VCU-busy retry
S_EXTRA_SLOTS: Final = 26
S_VCU0: Final = 33  # last busy cycle of each accelerator
S_TRAP_END: Final = 40  # first cycle after the last trap's stay in execute
S_LAST_HART: Final = 41
S_LAST_INDEX: Final = 42
S_MULTI: Final = 43
S_REWRITTEN: Final = 44  # an instruction was overwritten at which a hart may be waiting
S_GAP: Final = 45
S_LAST_WAIT: Final = 47  # cycles waited behind the last instruction (serial execution), for what
S_LAST_WAIT_KIND: Final = 48
S_PREPARED: Final = 49  # Python executed the next instruction; take over its result
S_RARE: Final = 50  # what Python is asked to do, with its arguments
S_CAUSE: Final = 51
S_VALUE: Final = 52
S_QUANTUM_END: Final = 53  # last cycle to issue in before looking at Python again
S_JUMPED: Final = 54  # the last instruction was a branch that was taken (in-order core)
S_READY_LAST: Final = 55  # first cycle in which all results are there (in-order core)
S_READY0: Final = 56  # first cycle in which the result for each register is there, and for SINK
S_BUS_ROWS: Final = 90  # recorded requests on the data bus
S_VOID_CYCLE: Final = 91  # issue of the last vector instruction that trapped or had no length
S_CALLS: Final = 92  # recorded calls, returns and stack pointers
S_WATCH: Final = 93  # the next instruction to issue is recorded: it traps, or returns from a trap
S_HELD_FROM: Final = 94  # multithreaded: from when to when a write waits, not of the adder's user
S_HELD_TO: Final = 95
S_HELD_HART: Final = 96  # the highest such hart
S_ADDER_HART: Final = 97  # who asked for the adder last, and until when it runs
S_ADDER_TO: Final = 98
S_ARBITER: Final = 100

# Within the state of the arbiter of functional units, and of the copy that it looks ahead on:
# columns by unit hold one bit per hart, or a place in a ring; columns by hart follow.
A_UNITS: Final = 6
A_CYCLE: Final = 0  # the next to be worked out
A_BUSY: Final = 1  # units held in the cycle before
A_WAITING: Final = 2  # harts whose instruction waits
A_HELD: Final = 3  # by unit
A_WANTED: Final = A_HELD + A_UNITS
A_GRANTED: Final = A_WANTED + A_UNITS
A_RING: Final = A_GRANTED + A_UNITS
A_WRITE: Final = A_RING + A_UNITS
A_READ: Final = A_WRITE + A_UNITS
A_END: Final = A_READ + A_UNITS  # by hart: last busy cycle
A_FIRST: Final = A_END + MAX_HARTS  # first read
A_TO_WRITE: Final = A_FIRST + MAX_HARTS
A_AFTER: Final = A_TO_WRITE + MAX_HARTS
A_READ_FREE: Final = A_AFTER + MAX_HARTS
A_WRITE_FREE: Final = A_READ_FREE + MAX_HARTS
A_COUNT: Final = A_WRITE_FREE + MAX_HARTS
A_COPY: Final = S_ARBITER + A_COUNT
S_COUNT: Final = A_COPY + A_COUNT

# --- hs: one row per hart --------------------------------------------------------------------
H_PC: Final = 0
H_NEXT: Final = 1  # next active hart in rotation
H_GAP: Final = 2  # parked slots until then
H_PARKED: Final = 3
H_PARK_ISSUED: Final = 4  # slots of this hart when it parked
H_OWN_EXTRA: Final = 5  # execute cycles beyond one per issue
H_CHARGED: Final = 6  # waits in decode charged to this hart
H_RETRIES: Final = 7
H_STUCK: Final = 8  # spinning for ever: parked slot by slot, or waiting for a hung VCU
H_MIE: Final = 9
H_MPIE: Final = 10
H_MTVEC: Final = 11
H_MEPC: Final = 12
H_MCAUSE: Final = 13
H_MSIP: Final = 14
H_MBADADDR: Final = 15
H_PCER: Final = 16
H_MVSIZE: Final = 17
H_MVTYPE: Final = 18
H_MPSCLFAC: Final = 19
H_MESTATUS: Final = 20
H_CYC_BASE: Final = 21  # counter value = clock - base while it counts
H_CYC_VALUE: Final = 22  # value while it stands
H_INS_BASE: Final = 23
H_INS_VALUE: Final = 24
H_MSCRATCH: Final = 25
H_MIE_REGISTER: Final = 26
H_TRAP_PC: Final = 27
H_TRAP_CAUSE: Final = 28
H_TRAP_REPEATS: Final = 29
H_CSR_READ: Final = 30  # what the CSR unit read last for this hart (T13)
H_COUNT: Final = 32

REGISTER_STRIDE: Final = 64  # registers of hart h start at 64 h; index 32 swallows writes to x0
SINK: Final = 32

# --- why the loop came back to Python --------------------------------------------------------
STOP_QUANTUM: Final = 0
STOP_EXIT: Final = 1
STOP_HANG: Final = 2
STOP_FAULT: Final = 3
STOP_DECODE: Final = 4
STOP_MARK: Final = 5
STOP_BUFFER: Final = 6
STOP_HARD_LIMIT: Final = 7
STOP_RARE: Final = 8

# --- what the loop leaves to Python: instructions that programs execute seldom ------------------
RARE_TRAP: Final = 1
RARE_INTERRUPT: Final = 2
RARE_CSR: Final = 3
RARE_MRET: Final = 4
RARE_SLEEP: Final = 5
RARE_SOFTWARE_INTERRUPT: Final = 6
RARE_REWRITTEN: Final = 7

FAULT_FETCH: Final = 1
FAULT_LOAD: Final = 2
FAULT_STORE: Final = 3
FAULT_NO_HANDLER: Final = 4
FAULT_TRAP_LOOP: Final = 5
FAULT_EBREAK: Final = 6
FAULT_SPM: Final = 7
FAULT_SPM_ALIGN: Final = 8
FAULT_MVTYPE: Final = 9
FAULT_NARROW: Final = 10
FAULT_LOST_REQUEST: Final = 11

WARN_HPM: Final = 1 << 0
WARN_MVTYPE_MIX: Final = 1 << 1
WARN_PARTIAL_WORD: Final = 1 << 2
WARN_BROADCAST_OVERLAP: Final = 1 << 3
WARN_HELD_SUM: Final = 1 << 4
WARN_SCALAR_BESIDE: Final = 1 << 5
WARN_SWI_REGISTER: Final = 1 << 6
WARN_BEHIND_VOID: Final = 1 << 7
WARN_STALE_REQUEST: Final = 1 << 8
WARN_CARRY: Final = 1 << 9

# --- causes: every cycle of a run belongs to one, of one hart ---------------------------------
# Issue cycles by timing class, in the order of `CLASSES`, then extra execute cycles of the same
# classes, then what no class owns.
CLASSES: Final = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump",
    "csr", "fence", "amo", "system", "kmem", "kdsp", "illegal",
)  # fmt: skip
K_ISSUE: Final = 0
K_EXTRA: Final = len(CLASSES)
K_WAIT_LSU: Final = 2 * len(CLASSES)
K_WAIT_VCU: Final = K_WAIT_LSU + 1
K_RETRY: Final = K_WAIT_LSU + 2
K_TRAP: Final = K_WAIT_LSU + 3
K_PARKED: Final = K_WAIT_LSU + 4
K_WAIT_OPERAND: Final = K_WAIT_LSU + 5
K_WAIT_FETCH: Final = K_WAIT_LSU + 6
K_COUNT: Final = K_WAIT_LSU + 7
WAITS: Final = (K_WAIT_LSU, K_WAIT_VCU, K_WAIT_OPERAND, K_WAIT_FETCH)

# --- dyn: cycles of one instruction word beyond its static ones, by plane ----------------------
D_EXECUTE: Final = 0
D_WAIT_LSU: Final = 1
D_WAIT_VCU: Final = 2
D_WAIT_OPERAND: Final = 3
D_WAIT_FETCH: Final = 4
D_TRAP: Final = 5  # of traps, beyond their slots
D_CYCLES: Final = 6  # planes before this one add cycles; those from here on say what slots were
D_RETRY: Final = 6
D_PARKED: Final = 7
D_TRAPPED: Final = 8
D_COUNT: Final = 9
PLANE_OF_WAIT: Final = {
    K_WAIT_LSU: D_WAIT_LSU,
    K_WAIT_VCU: D_WAIT_VCU,
    K_WAIT_OPERAND: D_WAIT_OPERAND,
    K_WAIT_FETCH: D_WAIT_FETCH,
    K_TRAP: D_TRAP,
}

# --- trace: one row per issue, written while tracing -------------------------------------------
T_CYCLE: Final = 0
T_HART: Final = 1
T_PC: Final = 2
T_WORD: Final = 3
T_EXTRA: Final = 4  # cycles in execute beyond the first, waits for the next instruction included
T_WAITS: Final = 5  # sums so far of the hart: waits for LSU, VCU, operand, next instruction; traps
T_COUNT: Final = 10

# --- calls: one row per recorded instruction, after it, written while C_CALLS is set -----------
R_HART: Final = 0
R_INDEX: Final = 1
R_NPC: Final = 2
R_SLOTS: Final = 3
R_BEYOND: Final = 4  # cycles of the hart beyond one per issue
R_STACK: Final = 5
R_KIND: Final = 6
R_COUNT: Final = 7
CALL_PLAIN: Final = 0
CALL_TRAP: Final = 1
CALL_TRAP_RETURN: Final = 2

# --- vstat: work of the vector unit per hart and operation ------------------------------------
V_ISSUED: Final = 0
V_BEATS: Final = 1
V_BYTES: Final = 2
V_BUSY: Final = 3
V_NARROW: Final = 4  # of those issued: with 8- or 16-bit elements
V_COUNT: Final = 5

# --- bus: requests on the data bus, written while C_BUS is set ---------------------------------
B_CYCLE: Final = 0
B_ENABLES: Final = 1  # bytes written, bit 0 = lowest; 0 = a read
B_ADDRESS: Final = 2  # of the word
B_DATA: Final = 3  # in its byte lanes; 0 for reads
B_COUNT: Final = 4

# --- spans: busy intervals, written while tracing ---------------------------------------------
SPAN_LSU: Final = -1  # otherwise the number of the accelerator
SPAN_COUNT: Final = 7  # unit, first and last cycle, rd, rs1, rs2, bytes
