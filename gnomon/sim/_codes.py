"""Numbers that Python and the engine in C share: why it stopped, faults, warnings, classes.

The header that the engine is compiled with is made from this module and from :mod:`._ops`.
"""

from __future__ import annotations

from typing import Final

MAX_HARTS: Final = 8
NEVER: Final = 1 << 60  # a cycle that no run reaches
LONG_AGO: Final = -(1 << 40)  # last busy cycle of a unit that has done nothing yet

REGISTERS: Final = 64  # room of one hart; index 32 swallows writes to x0
SINK: Final = 32

SHARED: Final = 0  # how harts share vector units
REPLICATED: Final = 1
MULTITHREADED: Final = 2
SHARING: Final = ("shared", "replicated", "multithreaded")

# --- why the engine came back to Python --------------------------------------------------------
STOP_QUANTUM: Final = 0
STOP_EXIT: Final = 1
STOP_HANG: Final = 2
STOP_FAULT: Final = 3
STOP_DECODE: Final = 4  # words were written that are to be executed now
STOP_MARK: Final = 5
STOP_BUFFER: Final = 6  # a buffer is nearly full: empty it and go on
STOP_HARD_LIMIT: Final = 7
STOP_RARE: Final = 8  # see RARE; to Python only where `stop_at_rare` is set

# --- what programs do seldom: executed outside the loop ----------------------------------------
RARE_TRAP: Final = 1
RARE_INTERRUPT: Final = 2
RARE_CSR: Final = 3
RARE_MRET: Final = 4
RARE_SLEEP: Final = 5
RARE_SOFTWARE_INTERRUPT: Final = 6
RARE_REWRITTEN: Final = 7

RULE_SHIFT_AMOUNT: Final = 0  # what the table of a rule goes by
RULE_SIGNS: Final = 1
RULE_RS1_BITS: Final = 2
RULE_RS2_BITS: Final = 3
RULE_SIGNS_PRODUCT: Final = 4
RULE_VALUES: Final = 39  # room for its cycles, and for its waits
RULE_ROW: Final = 80
RULE_BY: Final = ("shift-amount", "signs", "rs1-bits", "rs2-bits", "signs-product")

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
WARN_LONG_TRANSFER: Final = 1 << 10
WARN_CODE_TRANSFER: Final = 1 << 11
WARN_SIGNS: Final = 1 << 12

CLASSES: Final = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump",
    "csr", "fence", "amo", "system", "kmem", "kdsp", "illegal",
)  # fmt: skip
"""Timing classes of instructions."""

CALL_PLAIN: Final = 0  # kinds of recorded calls
CALL_TRAP: Final = 1
CALL_TRAP_RETURN: Final = 2

SPAN_LSU: Final = -1  # unit of a busy interval; otherwise the number of the accelerator
