"""Operations of the engine: numbers, families, timing classes, interruptibility.

The first numbers are those of the instructions, whose families are ranges; the engine's own
operations follow.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import MOST_INSTRUCTIONS, MOST_VECTOR_INSTRUCTIONS
from gnomon.isa import CSR_ADDRESS, INSTRUCTIONS, find_instruction
from gnomon.sim._codes import CLASSES, MULTIPLIES, READS_RS2, READS_SCALAR


def operation_number(mnemonic: str) -> int:
    return find_instruction(mnemonic).number


EBREAK: Final = operation_number("ebreak")
ADDI, AMOSWAP, FENCE, FENCE_I = map(operation_number, ("addi", "amoswap.w", "fence", "fence.i"))
CSRRW, CSRRWI, JAL, JALR = map(operation_number, ("csrrw", "csrrwi", "jal", "jalr"))
KBCASTLD, MRET, SLLI, WFI = map(operation_number, ("kbcastld", "mret", "slli", "wfi"))

# Vector instructions of units follow those of the table: both are one range. Then come operations
# of the engine: encodings with special behavior, and marks.
FIRST_VECTOR_UNIT: Final = len(INSTRUCTIONS)  # vector instructions of units of the machine
LAST_VECTOR_UNIT: Final = FIRST_VECTOR_UNIT + MOST_VECTOR_INSTRUCTIONS - 1
NOP: Final = LAST_VECTOR_UNIT + 1  # ALU result discarded
LOAD_X0: Final = NOP + 1  # load to x0: no bus access, but waits for the LSU
ILLEGAL: Final = NOP + 2
ILLEGAL_LSU: Final = NOP + 3  # LOAD or STORE opcode: waits for the LSU first
ILLEGAL_KMEM: Final = NOP + 4  # KMEM or AMO opcode: waits for LSU and VCU first
ILLEGAL_KDSP: Final = NOP + 5  # retried while the VCU is busy, like a legal one
FIRST_UNIT: Final = NOP + 6  # other instructions of units of the machine, in their order
LAST_UNIT: Final = FIRST_UNIT + MOST_INSTRUCTIONS - 1
STALE: Final = LAST_UNIT + 1  # the word was written; decode it again
HOT: Final = STALE + 1  # a translated block starts here
MARKED: Final = STALE + 2  # a region starts or ends here
WATCHED: Final = STALE + 3  # may leave a function, or writes the stack pointer: recorded
WATCHED_MARKED: Final = STALE + 4  # both
NO_FETCH: Final = STALE + 5  # outside the instruction memory
OP_COUNT: Final = STALE + 6
USE_ROW: Final = 1 + 6 * OP_COUNT  # the maximum, then by operation and operand, then field


def numbers_of(*classes: str) -> list[int]:
    return [row.number for row in INSTRUCTIONS if row.timing_class in classes]


BRANCHES: Final = numbers_of("branch")
LOADS: Final = numbers_of("load")
CSR_ACCESSES: Final = numbers_of("csr")
EVENT_COUNTERS: Final = [CSR_ADDRESS[f"mhpmcounter{n}"] for n in (3, 6, 7, 8, 9, 10)]
DIVISIONS: Final = numbers_of("div")
TRANSFERS: Final = numbers_of("kmem")
VECTOR_UNIT: Final = [*range(FIRST_VECTOR_UNIT, LAST_VECTOR_UNIT + 1)]
VECTOR: Final = [*numbers_of("kdsp"), *VECTOR_UNIT]
VECTOR_DIVISIONS: Final = [row.number for row in INSTRUCTIONS
                           if row.extension in ("kdiv", "kdivps")]  # fmt: skip
VECTOR_CSRS: Final = [CSR_ADDRESS[name] for name in ("mvsize", "mvtype", "mpsclfac")]
"""Addresses of the registers that control vector instructions."""


def _classify_operations() -> npt.NDArray[np.int64]:
    classes = np.full(OP_COUNT, CLASSES.index("alu"), dtype=np.int64)
    for row in INSTRUCTIONS:
        classes[row.number] = CLASSES.index(row.timing_class)
    classes[LOAD_X0] = CLASSES.index("load")
    illegal = [ILLEGAL, ILLEGAL_LSU, ILLEGAL_KMEM, ILLEGAL_KDSP, NO_FETCH]
    classes[illegal] = CLASSES.index("illegal")
    classes[FIRST_UNIT : LAST_UNIT + 1] = CLASSES.index("unit")
    classes[VECTOR_UNIT] = CLASSES.index("kdsp")
    return classes


CLASS_OF: Final = _classify_operations()
"""Timing class (index into ``CLASSES``) of each operation; marks have no class."""

INTERRUPTIBLE: Final = np.ones(OP_COUNT, dtype=np.bool_)
"""Operations that take pending interrupts: those that use the integer unit, and sw.

Source: directed runs on the T13x RTL, repeated by ``gnomon rtl klessydra``. Vector instructions
take them only when they are retried.
"""
INTERRUPTIBLE[[*numbers_of("load", "amo", "kmem"), *VECTOR]] = False
INTERRUPTIBLE[[operation_number("sb"), operation_number("sh"), ILLEGAL_KDSP]] = False

MORPH_CSR_EXTRA_CYCLES: Final = 1
T13_EXTRA_CYCLES: Final = dict.fromkeys(CLASSES, 0) | {"load": 1, "mulh": 2, "csr": 2, "amo": 3}
"""Extra execute cycles of the T13 by class; the divider gives those of divisions.

Source: the T13x RTL (2180 rows of ``tests/reference/t13x/scalar.csv``, equal).
"""

READS: Final = np.zeros(OP_COUNT, dtype=np.int64)
"""Source of the second operand of each operation, for operand toggles and latency models."""
READS[FIRST_UNIT : LAST_UNIT + 1] = READS_RS2
READS[VECTOR_UNIT] = READS_RS2
for _row in INSTRUCTIONS:
    READS[_row.number] = READS_RS2 * ("rs2" in _row.reads)
    if _row.meaning.element and "*" in _row.meaning.element:
        READS[_row.number] |= MULTIPLIES
    if _row.rs2 in ("spm_scalar", "register_scalar"):
        READS[_row.number] |= READS_SCALAR
