"""Numbers that Python and the engine in C share: why it stopped, faults, warnings, classes.

The header that the engine is compiled with is made from this module and from :mod:`._ops`.
"""

import tomllib
from pathlib import Path
from typing import Final

MAX_HARTS: Final = 8
NEVER: Final = 1 << 60  # a cycle that no run reaches
LONG_AGO: Final = -(1 << 40)  # last busy cycle of a unit that has done nothing yet

REGISTERS: Final = 64  # room of one hart; index 32 swallows writes to x0
SINK: Final = 32

SHARING: Final = ("shared", "replicated", "multithreaded")
"""How harts share vector units."""
SHARED: Final = 0

# --- why the engine came back to Python --------------------------------------------------------
STOP_QUANTUM: Final = 0
STOP_EXIT: Final = 1
STOP_HANG: Final = 2
STOP_FAULT: Final = 3
STOP_DECODE: Final = 4  # words were written that are to be executed now
STOP_MARK: Final = 5
STOP_BUFFER: Final = 6  # a buffer is nearly full: empty it and go on
STOP_HARD_LIMIT: Final = 7
STOP_RARE: Final = 8  # to Python only where `stop_at_rare` is set

BUSES: Final = (
    "instruction", "rs1_read", "rs2_read", "rd_read", "product", "write_back", "alu_a", "alu_b",
    "multiplier_a", "multiplier_b", "divider_a", "divider_b", "address", "load_data",
    "store_data", "lane_a", "lane_b", "lane_product", "scratchpad_read", "scratchpad_write",
)  # fmt: skip
"""Where operand toggles are counted; ``engine/toggles.h`` says what is put there."""

READS_RS2: Final = 2
MULTIPLIES: Final = 4  # in the lanes
READS_SCALAR: Final = 8  # rs2 is an operand of all lanes: what it holds, or the word at it

RARE: Final = ("trap", "interrupt", "csr", "mret", "sleep", "software_interrupt", "rewritten")
"""What programs do seldom, from 1 on: executed outside the loop."""

RULE_BY: Final = ("shift-amount", "signs", "rs1-bits", "rs2-bits", "signs-product")
"""What the table of a rule goes by."""
RULE_VALUES: Final = 39  # room for its cycles, and for its waits
RULE_ROW: Final = 80

# TOML, which Python reads itself: runs that start at once do not wait for a reader of YAML.
_TEXTS: Final = tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))
FAULTS: Final[dict[str, str]] = _TEXTS["faults"]
TRAPS: Final[dict[int, str]] = {int(cause, 0): text for cause, text in _TEXTS["traps"].items()}
ILLEGAL_INSTRUCTION: Final = 2  # cause of a trap
WARNINGS: Final[dict[str, str]] = _TEXTS["warnings"]
REFUSALS: Final[dict[str, str]] = _TEXTS["refusals"]

CLASSES: Final = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump",
    "csr", "fence", "amo", "system", "kmem", "kdsp", "illegal",
)  # fmt: skip
"""Timing classes of instructions."""

CALL_PLAIN: Final = 0  # kinds of recorded calls
CALL_TRAP: Final = 1
CALL_TRAP_RETURN: Final = 2

SPAN_LSU: Final = -1  # unit of a busy interval; otherwise the number of the accelerator
