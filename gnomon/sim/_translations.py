"""Compiled blocks in the engine's format: the memory of its ``Hot``, and the installed blocks."""

import ctypes
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.base.structs import only
from gnomon.sim import _ops as op
from gnomon.sim._blocks import MAX_WORDS
from gnomon.sim._codes import MAX_HARTS
from gnomon.sim._effort import Effort
from gnomon.sim._machine import Machine
from gnomon.sim._structs import BLOCK, HOT, STRUCTS
from gnomon.sim._units import list_latencies

_NO_WORDS: Final = np.zeros(0, dtype=np.int64)


def _most_waits(machine: Machine) -> int:
    """Return a bound of the cycles that regions and caches add to a block."""
    arrays = machine.arrays
    of_access = [0]
    if "windows" in arrays:
        of_access += arrays["windows"]["more"].tolist()
    if "cached" in arrays:
        of_access += arrays["cached"]["refill"].tolist()
    of_lines = 0
    if "fetch" in arrays:
        fetch = only(arrays["fetch"])
        lines = 2 + (4 * MAX_WORDS >> int(fetch["line_shift"]))
        of_lines = lines * int(fetch["refill"])
    return MAX_WORDS * max(of_access) + of_lines


class Translations:
    """The blocks of one run, by form. Without blocks, the engine has no ``Hot``."""

    def __init__(self, machine: Machine, effort: Effort) -> None:
        self._machine = machine
        window_slots, line_bytes = effort.window_slots, effort.line_bytes
        journal = (machine.harts, window_slots + 2 * MAX_WORDS)
        state_bytes = int(machine.record["hart_state_bytes"])
        self._arrays: dict[str, npt.NDArray[Any]] = {
            "tags": np.zeros(int(machine.cfg["dsize"]) // line_bytes + 64, dtype=np.uint16),
            "lengths": np.zeros(len(machine.decoded), dtype=np.uint8),
            "trace": np.zeros(journal, dtype=np.uint32),
            "undo": np.zeros(journal, dtype=STRUCTS["Undo"].dtype),
            "operands": np.zeros(journal, dtype=STRUCTS["OperandPair"].dtype),
            "states": np.zeros(machine.harts * state_bytes + 1, dtype=np.uint8),
        }
        self._record = HOT.make()
        for name, array in self._arrays.items():
            self._record[name] = array.ctypes.data
        self._record["journal"] = journal[1]
        self._record["window"] = self._record["largest_window"] = window_slots
        self._record["tag_shift"] = line_bytes.bit_length() - 1
        self._record["forced"] = effort.everything
        self._record["further"] = _most_waits(machine)
        slowest = int(machine.decoded["extra"].max())
        models = [each.model for each, _ in list_latencies(machine.architecture)]
        self._record["slowest"] = max([slowest, *(each.most_cycles for each in models)])
        self._libraries: dict[str, tuple[Any, ...]] = {}  # what the record points to
        self._blocks: dict[str, npt.NDArray[np.void]] = {}
        self._inside: frozenset[int] = frozenset()
        self._words = _NO_WORDS
        self._entries = machine.decoded[:0]
        self._writes = 0
        self._hidden = False

    def __contains__(self, form: object) -> bool:
        return form in self._blocks

    def __len__(self) -> int:
        return len(self._blocks)

    def figures(self) -> dict[str, int]:
        names = ("windows", "rollbacks", "conflicts", "solo_instructions", "runner_instructions")
        return {name: int(self._record[name]) for name in names}

    @property
    def instructions(self) -> int:
        """Instructions executed by blocks, and by harts ahead of others."""
        return int(self._record["solo_instructions"] + self._record["runner_instructions"])

    def install(self, form: str, library: ctypes.CDLL) -> None:
        try:
            count = ctypes.c_uint32.in_dll(library, "hot_count").value
            table = (ctypes.c_char * (BLOCK.dtype.itemsize * count)).in_dll(library, "hot_table")
            function = ctypes.cast(library.hot_blocks, ctypes.c_void_p).value
        except (ValueError, AttributeError) as error:
            raise GnomonError(f"not a library of blocks: {error}") from None
        blocks = np.frombuffer(memoryview(table), dtype=BLOCK.dtype)
        counts, taken = (np.zeros((MAX_HARTS, count), dtype=np.int64) for _ in range(2))
        self._libraries[form] = (library, table, counts, taken, function)
        self._blocks[form] = blocks
        translation = self._record[form]
        translation["table"], translation["count"] = ctypes.addressof(table), count
        translation["counts"], translation["taken"] = counts.ctypes.data, taken.ctypes.data
        if form == "runner":
            self._arrays["lengths"][:] = 0
            self._arrays["lengths"][blocks["start"]] = blocks["length"]
        spans = [
            np.arange(start, start + length)
            for each in self._blocks.values()
            for start, length in zip(each["start"].tolist(), each["length"].tolist(), strict=True)
        ]
        self._words = np.unique(np.concatenate([_NO_WORDS, *spans]))
        self._inside = frozenset(self._words.tolist())
        self._entries = self._machine.decoded[self._words].copy()
        self._writes = int(self._machine.st["text_writes"])
        self._arrays["words"] = self._words.astype(np.uint32)
        self._record["words"] = self._arrays["words"].ctypes.data
        self._record["word_count"] = len(self._words)
        self._machine.record["hot"] = self._record.ctypes.data
        self._show()

    def drop(self) -> None:
        self._hidden = True
        self._show()
        self._hidden = False
        self._blocks.clear()
        self._inside = frozenset()

    def written_over(self) -> bool:
        """Return whether a word of a block was written since it was decoded, or has changed."""
        machine, writes = self._machine, int(self._machine.st["text_writes"])
        if writes == self._writes or not self._blocks:
            return False
        self._writes = writes
        if (machine.table["op"][self._words] == op.STALE).any():
            return True
        return not np.array_equal(machine.decoded[self._words], self._entries)

    def hide_marked(self) -> bool:
        """Disable the blocks while a mark lies inside one; return whether they are disabled."""
        inside = not self._machine.marks.isdisjoint(self._inside)
        if inside != self._hidden:
            self._hidden = inside
            self._show()
        return inside

    def _show(self) -> None:
        leaders: set[int] = set()
        for form, blocks in self._blocks.items():
            self._record[form]["blocks"] = 0 if self._hidden else self._libraries[form][-1]
            leaders.update(blocks["start"].tolist())
        self._machine.show_hot(set() if self._hidden else leaders)
