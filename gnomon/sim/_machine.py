"""A machine with a program in it: the arrays that the engine works on."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gnomon.sim import _codes as at
from gnomon.sim import _ops as op
from gnomon.sim._classes import CLASS_OF
from gnomon.sim._library import function
from gnomon.sim._tables import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gnomon.arch import Architecture

Array = npt.NDArray[np.int64]
Records = npt.NDArray[np.void]
Watch = "Callable[[Array, Records], npt.NDArray[np.bool_]]"


@dataclass(frozen=True, slots=True)
class Machine:
    """All state of one run, as :mod:`._state` describes it. The engine writes the arrays.

    ``cfg`` and ``st`` are single records; ``hs`` and ``acct`` have one per hart, ``prof`` and
    ``dyn`` one per hart and instruction word, ``vstat`` one per hart and instruction.
    """

    architecture: Architecture
    record: Records
    arrays: dict[str, npt.NDArray[Any]]
    cfg: np.void
    st: np.void
    marks: set[int] = field(default_factory=set)  # word indices with a mark over them
    watch: Callable[[Array, Records], npt.NDArray[np.bool_]] | None = None
    watched: set[int] = field(default_factory=set)  # word indices whose issues are recorded
    hot: set[int] = field(default_factory=set)  # word indices where translated blocks begin

    @property
    def hs(self) -> Records:
        """Harts."""
        return self.arrays["hs"]

    @property
    def acct(self) -> Records:
        """Cycles by cause."""
        return self.arrays["acct"]

    @property
    def causes(self) -> Array:
        """The same as numbers, of shape (harts, causes), in the order of the record."""
        found: Array = self.acct.view(np.int64).reshape(at.MAX_HARTS, -1)
        return found[: self.harts]

    @property
    def dyn(self) -> Records:
        """What an instruction word cost beyond its static cycles."""
        return self.arrays["dyn"]

    @property
    def prof(self) -> Array:
        """Issues."""
        return self.arrays["prof"]

    @property
    def vstat(self) -> Records:
        """Work of the vector unit."""
        return self.arrays["vstat"]

    @property
    def table(self) -> Records:
        """Entries as the loop sees them."""
        return self.arrays["table"]

    @property
    def decoded(self) -> Records:
        """Entries without marks."""
        return self.arrays["decoded"][:-1]

    @property
    def regs(self) -> npt.NDArray[np.uint32]:
        """Registers, of shape (harts, at.REGISTERS)."""
        return self.arrays["regs"]

    @property
    def ram(self) -> npt.NDArray[np.int32]:
        """Words of the instruction memory, then of the data memory."""
        return self.arrays["ram"]

    @property
    def harts(self) -> int:
        """Number of harts in the rotation."""
        return int(self.cfg["harts"])

    @property
    def text(self) -> tuple[int, int]:
        """First and one past last instruction word that can have been executed."""
        return int(self.st["text_first"]), int(self.st["text_end"])

    @property
    def pointer(self) -> int:
        """The address of the record, for the engine."""
        return self.record.ctypes.data

    def run(self) -> int:
        """Run until the quantum ends or something needs Python; returns a STOP code."""
        return int(function("engine_run")(self.pointer))

    def issued(self, h: int) -> int:
        """Issue slots of a hart so far."""
        return int(function("engine_issued")(self.pointer, h))

    def hart_cycles(self, h: int) -> int:
        """Cycles in which the hart has held the execute stage."""
        return int(function("engine_own_cycles")(self.pointer, h))

    def word_index(self, pc: int) -> int:
        """Index of the instruction word at an address inside the instruction memory."""
        return ((pc - int(self.cfg["ibase"])) & 0xFFFF_FFFF) >> 2

    def mark(self, index: int) -> None:
        """Make the loop stop before the instruction word ``index``."""
        self.marks.add(index)
        self._show(index)

    def unmark(self, index: int) -> None:
        """Take a mark away again."""
        self.marks.discard(index)
        self._show(index)

    def _show(self, index: int) -> None:
        """Put into the table what the loop is to see at ``index``."""
        if self.table["op"][index] == op.STALE:
            return  # decoding it does so
        watched = index in self.watched
        if index in self.marks:
            shown = op.WATCHED_MARKED if watched else op.MARKED
        elif watched:
            shown = op.WATCHED
        else:
            shown = op.HOT if index in self.hot else self.decoded["op"][index]
        self.table["op"][index] = shown

    def show_hot(self, indices: Collection[int]) -> None:
        """Let the loop turn to translated blocks at these words, and at no others."""
        changed = self.hot.symmetric_difference(indices)
        self.hot.symmetric_difference_update(changed)
        for index in changed:
            self._show(index)

    def watch_words(self, indices: Array) -> None:
        """Record the issues of those of the words that ``watch`` chooses."""
        if self.watch is None:
            return
        chosen = self.watch(indices, self.decoded)
        self.watched.difference_update(indices.tolist())
        self.watched.update(indices[chosen].tolist())
        for index in indices.tolist():
            self._show(index)

    def decode_stale(self) -> None:
        """Decode again the words that were written since the last time."""
        stale = np.flatnonzero(self.table["op"] == op.STALE)
        fresh = pack(self.ram[stale].view(np.uint32), self.architecture)
        for index, entry in zip(stale.tolist(), fresh, strict=True):
            self._move_counts(index, entry)
            self.decoded[index] = self.table[index] = entry
            self._show(index)
        if stale.size:
            self.watch_words(stale)
            first, end = self.text
            self.st["text_first"] = min(first, int(stale[0]))
            self.st["text_end"] = max(end, int(stale[-1]) + 1)

    def _move_counts(self, index: int, entry: np.void) -> None:
        """Issues so far keep the class they had, although the word at this pc is another now."""
        for h in range(self.harts):
            issues = int(self.prof[h, index])
            account, spot = self.acct[h], self.dyn[h, index]
            for each, sign in ((self.decoded[index], 1), (entry, -1)):
                kind = int(CLASS_OF[each["op"]])
                fetch = int(each["fetch"])
                extra = int(each["extra"]) - fetch
                account["issue"][kind] += sign * issues
                account["execute"][kind] += sign * issues * extra
                account["wait_fetch"] += sign * issues * fetch
                spot["execute"] += sign * issues * extra
                spot["wait_fetch"] += sign * issues * fetch

    def data_memory(self) -> npt.NDArray[np.int32]:
        """Words of the data memory."""
        return self.ram[int(self.cfg["data_word0"]) :]

    def data_crc32(self) -> int:
        """CRC-32 of the data memory as it is now."""
        return zlib.crc32(self.data_memory().tobytes())
