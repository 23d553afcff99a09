"""A machine with a loaded program: the arrays that the engine works on."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.interrupt import call_c
from gnomon.isa import fetched_words
from gnomon.sim import _codes as at
from gnomon.sim import _ops as op
from gnomon.sim._library import function
from gnomon.sim._own_devices import OwnDevices, explain_own_devices
from gnomon.sim._places import Place, content_of
from gnomon.sim._tables import lay_out, lead_jumps, list_fields, pack
from gnomon.sim._units import explain_running

Array = npt.NDArray[np.int64]
Records = npt.NDArray[np.void]


@dataclass(slots=True, eq=False)
class Machine:
    """All state of one run, as :mod:`._structs` describes it. The engine writes the arrays."""

    architecture: Architecture
    record: Records  # input of the engine; it points to the arrays
    arrays: dict[str, npt.NDArray[Any]]  # by member of the record
    cfg: np.void
    st: np.void
    places: tuple[Place, ...]  # of the memories in ``ram``
    own_devices: OwnDevices
    watch: Callable[[Array, Records], npt.NDArray[np.bool_]] | None = None
    marks: set[int] = field(default_factory=set)  # indices of words with a mark
    watched: set[int] = field(default_factory=set)  # indices of words whose issues are recorded
    hot: set[int] = field(default_factory=set)  # indices of words that begin translated blocks
    hs: Records = field(init=False)  # of each hart
    acct: Records = field(init=False)  # of each hart: cycles by cause
    causes: Array = field(init=False)  # the same as numbers, of shape (harts, causes)
    flow: Records = field(init=False)  # by hart and instruction word: issues, execute cycles
    dyn: Records = field(init=False)  # by hart and instruction word: waits, kinds of slots
    vstat: Records = field(init=False)  # by hart and instruction: work of the vector unit
    table: Records = field(init=False)  # entries as the loop sees them
    decoded: Records = field(init=False)  # entries without marks
    regs: npt.NDArray[np.uint32] = field(init=False)  # of shape (harts, at.REGISTERS)
    ram: npt.NDArray[np.int32] = field(init=False)  # words of instruction, then of data memory

    def __post_init__(self) -> None:
        for name in ("hs", "acct", "flow", "dyn", "vstat", "table", "regs", "ram"):
            setattr(self, name, self.arrays[name])
        self.decoded = self.arrays["decoded"][:-1]
        self.causes = self.acct.view(np.int64).reshape(at.MAX_HARTS, -1)[: self.harts]

    def issues(self, end: int | None = None) -> Array:
        """Return issues so far, of shape (harts, words): words below ``end``, or of the text."""
        last = self.text[1] if end is None else end
        return np.cumsum(self.flow["issues"][: self.harts, :last], axis=1)

    def buses(self) -> Array | None:
        """Return bus values, then toggles, of each word of the text; None if not counted."""
        if "toggles" not in self.arrays:
            return None
        first, end = self.text
        rows: Array = self.arrays["toggles"][first:end].view(np.int64).reshape(end - first, -1)
        return rows

    @property
    def harts(self) -> int:
        return int(self.cfg["harts"])

    @property
    def text(self) -> tuple[int, int]:
        """First and one past last instruction word that may have been executed."""
        return int(self.st["text_first"]), int(self.st["text_end"])

    @property
    def pointer(self) -> int:
        return self.record.ctypes.data

    def function(self, name: str) -> Any:
        """Return a function of the engine variant that has the loops of this machine."""
        further = "toggles" in self.arrays or "fetch" in self.arrays
        return function(name, further=further or int(self.cfg["ishift"]) == 1)

    def run(self) -> int:
        """Run until the quantum ends or Python must act; return a STOP code."""
        return self.execute("engine_run")

    def execute(self, name: str, *further: int) -> int:
        """Call a function of the engine that executes instructions; return a STOP code.

        The C of units and devices may not end, so that a signal must end the call.

        Raises:
            GnomonError: if the Python of a device fails.
        """
        call: Callable[[], int] = partial(self.function(name), self.pointer, *further)
        units, devices = self.architecture.units, self.own_devices.in_c
        if units:
            stop = call_c(call, partial(explain_running, units))
        elif devices:
            stop = call_c(call, partial(explain_own_devices, devices))
        else:
            stop = call()
        self.own_devices.raise_error()
        return stop

    def issued(self, h: int) -> int:
        """Return the issue slots of a hart so far."""
        return int(self.function("engine_issued")(self.pointer, h))

    def hart_cycles(self, h: int) -> int:
        """Return the cycles in which the hart has held the execute stage."""
        return int(self.function("engine_own_cycles")(self.pointer, h))

    def word_index(self, pc: int) -> int:
        """Return the index of the instruction at an address in the instruction memory."""
        return ((pc - int(self.cfg["ibase"])) & 0xFFFF_FFFF) >> int(self.cfg["ishift"])

    def instruction(self, index: int) -> int:
        """Return the current instruction at an index; 16 bits if it is compressed."""
        memory = self.ram[: int(self.cfg["data_word0"])].view(np.uint32)
        compressed = int(self.cfg["ishift"]) == 1
        return int(fetched_words(memory, np.array([index]), compressed=compressed)[0])

    def mark(self, index: int) -> None:
        """Make the loop stop before the instruction word ``index``."""
        self.marks.add(index)
        self._show(index)

    def unmark(self, index: int) -> None:
        self.marks.discard(index)
        self._show(index)

    def _show(self, index: int) -> None:
        """Write the operation that the loop should see at ``index`` into the table."""
        if self.table["op"][index] == op.STALE:
            return  # decode_stale calls this function again
        if index in self.watched:
            shown = op.WATCHED_MARKED if index in self.marks else op.WATCHED
        elif index in self.marks:
            shown = op.MARKED
        else:
            shown = op.HOT if index in self.hot else self.decoded["op"][index]
        self.table["op"][index] = shown

    def show_hot(self, indices: Collection[int]) -> None:
        """Let the loop enter translated blocks at these words, and at no others."""
        changed = self.hot.symmetric_difference(indices)
        self.hot.symmetric_difference_update(changed)
        for index in changed:
            self._show(index)

    def watch_words(self, indices: Array) -> None:
        """Record the issues of the words that ``watch`` selects."""
        if self.watch is None:
            return
        chosen = self.watch(indices, self.decoded)
        self.watched.difference_update(indices.tolist())
        self.watched.update(indices[chosen].tolist())
        for index in indices.tolist():
            self._show(index)

    def decode_stale(self) -> None:
        stale = np.flatnonzero(self.table["op"] == op.STALE)
        memory = self.ram[: int(self.cfg["data_word0"])].view(np.uint32)
        ishift = int(self.cfg["ishift"])
        words = fetched_words(memory, stale, compressed=ishift == 1)
        fresh = pack(words, self.architecture)
        if "fields" in self.arrays:
            self.arrays["fields"][stale] = list_fields(words, self.architecture)
        issues = self.issues(len(self.decoded))[:, stale]
        for k, (index, entry) in enumerate(zip(stale.tolist(), fresh, strict=True)):
            self._move_counts(index, entry, issues[:, k])
            self.decoded[index] = self.table[index] = entry
        if stale.size:
            lead_jumps(self.table, stale, ishift)
            if ishift == 2 and not self.architecture.computes_fetch:
                lay_out(self.table, self.harts)
            for index in stale.tolist():
                self._show(index)
            self.watch_words(stale)
            first, end = self.text
            self.st["text_first"] = min(first, int(stale[0]))
            self.st["text_end"] = max(end, int(stale[-1]) + 1)

    def _move_counts(self, index: int, entry: np.void, issued: Array) -> None:
        """Keep earlier issues in their class, although the word at this pc has changed."""
        for h, issues in enumerate(issued.tolist()):
            account, spot, flow = self.acct[h], self.dyn[h, index], self.flow[h, index]
            before = self.decoded[index]
            # Execute cycles so far stay in their class: that of the new word takes them back.
            execute = issues * (int(before["extra"]) - int(before["fetch"])) + int(flow["execute"])
            for each, sign in ((before, 1), (entry, -1)):
                kind, fetch = int(op.CLASS_OF[each["op"]]), int(each["fetch"])
                account["issue"][kind] += sign * issues
                account["execute"][kind] += sign * execute
                account["wait_fetch"] += sign * issues * fetch
                flow["execute"] += sign * issues * (int(each["extra"]) - fetch)
                spot["wait_fetch"] += sign * issues * fetch

    def instruction_memory(self) -> bytes:
        """Return the content of the memory of the code; with one memory, all of it."""
        memory = self.architecture.memory
        if memory.link is not None:
            return self.region(memory.link.text)
        return self.ram[: None if memory.is_one else int(self.cfg["data_word0"])].tobytes()

    def data_memory(self) -> bytes:
        """Return the content of the data memory; with one memory, all of it."""
        memory = self.architecture.memory
        if memory.link is not None:
            return self.region(memory.link.data)
        return self.ram[0 if memory.is_one else int(self.cfg["data_word0"]) :].tobytes()

    def region(self, name: str) -> bytes:
        """Return the content of a region."""
        return content_of(name, self.places, self.ram)
