"""Waits of an in-order core: for results, and for the next instruction. docs/machines.md.

Plain functions: the loop compiles those it needs, the accounting at the end of a run calls them
as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np
import numpy.typing as npt

from gnomon.sim._layout import C_FETCH, C_REDIRECT, S_READY0
from gnomon.sim._ops import CSRRCI, CSRRSI, CSRRWI, FENCE_I, JAL, JALR, KMEMLD, KSVDIVPSRF, MRET

if TYPE_CHECKING:
    from gnomon.base.compiled import State

Array = npt.NDArray[np.int64]

_FIELD_IS_A_NUMBER = (CSRRWI, CSRRSI, CSRRCI)

REDIRECTING = (JAL, JALR, FENCE_I, MRET)
"""Operations after which the fetch always starts anew; taken branches and traps do so too."""


def operands_ready(st: State, entry: int) -> int:
    """First cycle in which the registers that a packed instruction reads hold their values."""
    o = entry & 0xFF
    ready = int(st[S_READY0 + ((entry >> 19) & 31)])
    if o not in _FIELD_IS_A_NUMBER:
        ready = max(ready, int(st[S_READY0 + ((entry >> 14) & 31)]))
    if KMEMLD <= o <= KSVDIVPSRF:  # rd holds an address
        ready = max(ready, int(st[S_READY0 + ((entry >> 8) & 31)]))
    return ready


@overload
def fetch_cycles(cfg: State, operations: int) -> int: ...
@overload
def fetch_cycles(cfg: State, operations: Array) -> Array: ...
def fetch_cycles(cfg: State, operations: int | Array) -> int | Array:
    """Of the static cycles of operations, those that wait for the next instruction."""
    waits: Array = cfg[C_FETCH] + cfg[C_REDIRECT] * np.isin(operations, REDIRECTING)
    return int(waits) if isinstance(operations, int) else waits
