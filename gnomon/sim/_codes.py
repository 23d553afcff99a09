"""Numbers that Python and the C engine share: reasons to stop, faults, warnings, classes.

The header of the engine is generated from this module and from :mod:`._ops`.
"""

from typing import Final, get_args

from gnomon.arch.units import VectorPart

MAX_HARTS: Final = 8
NEVER: Final = 1 << 60  # a cycle that no run reaches
LONG_AGO: Final = -(1 << 40)  # last busy cycle of a unit that was never busy

REGISTERS: Final = 64  # room of one hart; index 32 swallows writes to x0
SINK: Final = 32

SHARING: Final = ("shared", "replicated", "multithreaded")
"""Sharing of vector units between harts."""
SHARED: Final = 0

# --- why the engine returned to Python ---------------------------------------------------------
STOP_QUANTUM: Final = 0
STOP_EXIT: Final = 1
STOP_HANG: Final = 2
STOP_FAULT: Final = 3
STOP_DECODE: Final = 4  # written words are to be executed now
STOP_MARK: Final = 5
STOP_BUFFER: Final = 6  # a buffer is nearly full: empty it and resume
STOP_HARD_LIMIT: Final = 7
STOP_RARE: Final = 8  # returned to Python only if `stop_at_rare` is set
STOP_HOST: Final = 9  # the program calls its host

HOST_ASKED: Final = 1  # states of a call: none is 0
HOST_ANSWERED: Final = 2

BUSES: Final = (
    "instruction", "rs1_select", "rs2_select", "rd_select", "operation", "immediate", "rs1_read",
    "rs2_read", "rd_read", "product", "product_sums", "write_back", "alu_a", "alu_b",
    "multiplier_a", "multiplier_b", "partial_sum", "divider_a", "divider_b", "remainder", "address",
    "load_data", "store_data", "lane_a", "lane_b", "lane_product", "lane_multiplier",
    "scratchpad_read", "scratchpad_write",
)  # fmt: skip
"""Buses of which operand toggles are counted; ``engine/toggles.h`` defines their values."""

MULTIPLIER_WORDS: Final = 2 + 4 * 44
"""Operands of a multiplier, and the rows and sums of its four trees."""
READS_RS2: Final = 2
MULTIPLIES: Final = 4  # in the lanes
READS_SCALAR: Final = 8  # rs2 is an operand of all lanes: its value, or the word at its address

RARE: Final = (
    "trap", "interrupt", "csr", "mret", "sleep", "software_interrupt", "rewritten", "host",
)  # fmt: skip
"""Rare operations, numbered from 1: executed outside the loop."""

ILLEGAL_INSTRUCTION: Final = 2  # cause of a trap

CLASSES: Final = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump",
    "csr", "fence", "amo", "system", "kmem", "kdsp", "illegal", "unit",
)  # fmt: skip
"""Timing classes of instructions."""

CALL_PLAIN: Final = 0  # kinds of recorded calls
CALL_TRAP: Final = 1
CALL_TRAP_RETURN: Final = 2

SPAN_LSU: Final = -1  # unit of a busy interval; else the number of the accelerator

VECTOR_PARTS: Final = (*get_args(VectorPart), "divider")
"""Functional units of a vector unit, one bit each; those of units of the machine follow."""
