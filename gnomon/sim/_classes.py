"""What the engine knows of each operation besides its meaning: timing class, interrupts."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _ops as op
from gnomon.sim._codes import CLASSES


def numbers_of(*classes: str) -> list[int]:
    """Numbers of the instructions of some timing classes."""
    return [row.number for row in INSTRUCTIONS if row.timing_class in classes]


def _class_of_operations() -> npt.NDArray[np.int64]:
    classes = np.zeros(op.OP_COUNT, dtype=np.int64)
    for row in INSTRUCTIONS:
        classes[row.number] = CLASSES.index(row.timing_class)
    classes[op.NOP] = CLASSES.index("alu")
    classes[op.LOAD_X0] = CLASSES.index("load")
    for illegal in (op.ILLEGAL, op.ILLEGAL_LSU, op.ILLEGAL_KMEM, op.ILLEGAL_KDSP, op.NO_FETCH):
        classes[illegal] = CLASSES.index("illegal")
    return classes


CLASS_OF = _class_of_operations()
"""Timing class (index into ``CLASSES``) of each operation."""


def _interruptible() -> npt.NDArray[np.bool_]:
    table = np.ones(op.OP_COUNT, dtype=np.bool_)
    for number in [op.LB, op.LH, op.LW, op.LBU, op.LHU, op.SB, op.SH, op.AMOSWAP, op.ILLEGAL_KDSP]:
        table[number] = False
    table[numbers_of("kmem", "kdsp")] = False
    return table


INTERRUPTIBLE = _interruptible()
"""Operations that look at pending interrupts: those that go through the integer unit, and sw.

Source: microarchitecture.md section 3. Vector instructions look only when they are retried.
"""

T13_EXTRA_CYCLES: Final = dict.fromkeys(CLASSES, 0) | {"load": 1, "mulh": 2, "csr": 2, "amo": 3}
"""Extra execute cycles of the T13 by class; divisions have those of the divider.

Source: microarchitecture.md section 1 (exact).
"""
