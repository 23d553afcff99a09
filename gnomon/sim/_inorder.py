"""Waits of an in-order core: for results, and for the next instruction. docs/inorder.md.

Plain functions: the loop compiles those it needs, the accounting at the end of a run calls them
as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gnomon.sim._layout import C_FETCH, C_REDIRECT, S_READY0
from gnomon.sim._ops import CSRRCI, CSRRSI, CSRRWI, FENCE_I, JAL, JALR, KMEMLD, KSVDIVPSRF, MRET

if TYPE_CHECKING:
    import numpy.typing as npt

    from gnomon.sim._jit import State

_Operations = TypeVar("_Operations", int, "npt.NDArray[np.int64]")

REDIRECTING = (JAL, JALR, FENCE_I, MRET)
"""Operations after which the fetch always starts anew; taken branches and traps do so too."""


def names_rd_as_source(o: int) -> bool:
    """Vector instructions and transfers: rd holds an address."""
    return KMEMLD <= o <= KSVDIVPSRF


def operands_ready(st: State, entry: int) -> int:
    """First cycle in which the registers that a packed instruction reads hold their values."""
    o = entry & 0xFF
    ready = int(st[S_READY0 + ((entry >> 19) & 31)])
    if not (o == CSRRWI or o == CSRRSI or o == CSRRCI):
        ready = max(ready, int(st[S_READY0 + ((entry >> 14) & 31)]))
    if KMEMLD <= o <= KSVDIVPSRF:
        ready = max(ready, int(st[S_READY0 + ((entry >> 8) & 31)]))
    return ready


def fetch_cycles(cfg: State, operations: _Operations) -> _Operations:
    """Of the static cycles of operations, those that wait for the next instruction."""
    anew = np.isin(operations, REDIRECTING)
    waits = cfg[C_FETCH] + cfg[C_REDIRECT] * anew
    return waits if isinstance(operations, np.ndarray) else int(waits)
