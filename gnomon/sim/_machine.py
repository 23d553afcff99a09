"""A machine with a program in it: the arrays that the engine works on."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gnomon.base.structs import only
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import _codes as at
from gnomon.sim import _ops as op
from gnomon.sim._classes import CLASS_OF
from gnomon.sim._config import configuration, latency_tables
from gnomon.sim._library import function
from gnomon.sim._load import load_program
from gnomon.sim._state import (
    ACCOUNT,
    BUS_ROW,
    CALL_ROW,
    DYNAMIC,
    ENTRY,
    HART,
    MACHINE,
    SPAN_ROW,
    STATE,
    TRACE_ROW,
    VECTOR_STAT,
)
from gnomon.sim._tables import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gnomon.arch import Architecture
    from gnomon.program import Program

_BYTE_ENABLES_WORD = 15
_TRACE_ROWS = 1 << 14
_CALL_ROWS = 1 << 12
_FIRST_ISSUE_CYCLE_T13 = 2  # request in cycle 0, decode in 1, execute in 2
_RESET_MESTATUS = 0x1800
_RESET_MTVEC_T13 = 0x94

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


def _reset_state(cfg: np.void) -> Records:
    record = STATE.make()
    st = only(record)
    t13, harts = bool(cfg["is_t13"]), int(cfg["harts"])
    st["cycle"] = _FIRST_ISSUE_CYCLE_T13 if t13 else 0
    st["hart"] = harts - 1
    st["lsu_last"] = st["transfer_last"] = st["void_cycle"] = at.LONG_AGO
    st["vcu_last"][:] = at.LONG_AGO
    st["exit_cycle"] = st["trap_end"] = -1
    st["transfer_spm"] = -1
    st["amo_enables"] = _BYTE_ENABLES_WORD
    return record


def _reset_harts(cfg: np.void) -> Records:
    hs = np.zeros(at.MAX_HARTS, dtype=HART.dtype)
    t13, harts = bool(cfg["is_t13"]), int(cfg["harts"])
    awake = hs[:harts]
    awake["pc"] = cfg["reset_pc"]
    awake["next"] = (np.arange(harts) - 1) % harts
    awake["mtvec"] = _RESET_MTVEC_T13 if t13 else 0
    awake["mvtype"] = 2
    awake["mestatus"] = _RESET_MESTATUS if cfg["core"]["mestatus_writes_bit_0"] else 0
    awake["instret_value"] = -1  # minstret is stored one higher than it reads
    if not t13:
        # An ISA-clean core counts from reset, without an enable register.
        awake["pcer"] = 3
        awake["instret_base"] = 1
    return hs


def build_machine(
    program: Program,
    architecture: Architecture,
    *,
    tracing: bool,
    hard_limit: int,
    bus: bool = False,
    watch: Callable[[Array, Records], npt.NDArray[np.bool_]] | None = None,
) -> Machine:
    """Reset a machine and load a program into it.

    Raises:
        GnomonError: if a segment of the program is outside the memories, or its entry is not
            aligned.
    """
    config = configuration(architecture, program.entry)
    cfg = only(config)
    cfg["tracing"] = cfg["keep_slots"] = tracing
    cfg["hard_limit"], cfg["bus"], cfg["calls"] = hard_limit, bus, watch is not None
    words = int(cfg["data_word0"])
    ram = np.zeros(words + int(cfg["dsize"]) // 4, dtype=np.int32)
    first, end = load_program(ram, cfg, program, architecture)
    decoded = np.empty(words + 1, dtype=ENTRY.dtype)
    decoded[:] = pack(np.zeros(1, dtype=np.uint32), architecture)[0]
    decoded[first:end] = pack(ram[first:end].view(np.uint32), architecture)
    decoded["op"][-1] = op.NO_FETCH  # what runs out of the memory meets this
    state = _reset_state(cfg)
    state["text_first"], state["text_end"] = first, end
    pads = int(cfg["spm_count"]) * (1 if cfg["sharing"] == at.SHARED else int(cfg["harts"]))
    pad_words = int(cfg["spm_size"]) // 4
    rows = _TRACE_ROWS if tracing else 1
    by_hart = (at.MAX_HARTS, words)
    arrays: dict[str, npt.NDArray[Any]] = {
        "cfg": config,
        "st": state,
        "hs": _reset_harts(cfg),
        "acct": np.zeros(at.MAX_HARTS, dtype=ACCOUNT.dtype),
        "dyn": np.zeros(by_hart, dtype=DYNAMIC.dtype),
        "prof": np.zeros(by_hart, dtype=np.int64),
        "vstat": np.zeros((at.MAX_HARTS, len(INSTRUCTIONS)), dtype=VECTOR_STAT.dtype),
        "laws": latency_tables(architecture),
        "table": decoded.copy(),
        "decoded": decoded,
        "regs": np.zeros((at.MAX_HARTS, at.REGISTERS), dtype=np.uint32),
        "ram": ram,
        "spm": np.zeros(max(pads * pad_words, 1), dtype=np.int32),
        "temp": np.zeros(2 * pad_words + 64, dtype=np.int32),
        "printed": np.zeros(2 * (4096 + pad_words), dtype=np.int64),
        "trace": np.zeros(rows, dtype=TRACE_ROW.dtype),
        "spans": np.zeros(max(rows, 8), dtype=SPAN_ROW.dtype),
        "bus": np.zeros(_TRACE_ROWS + 2 * pad_words if bus else 1, dtype=BUS_ROW.dtype),
        "calls": np.zeros(_CALL_ROWS if watch is not None else 1, dtype=CALL_ROW.dtype),
    }
    record = MACHINE.make()
    MACHINE.point(record, arrays)
    record["words"] = words
    record["law_entries"] = arrays["laws"].shape[1]
    for name in ("ram", "spm", "temp"):
        record[f"{name}_words"] = len(arrays[name])
    for name, array in (("printed", "printed"), ("trace", "trace"), ("span", "spans"),
                        ("bus", "bus"), ("call", "calls")):  # fmt: skip
        record[f"{name}_rows"] = len(arrays[array])
    return Machine(
        architecture=architecture,
        record=record,
        arrays=arrays,
        cfg=cfg,
        st=only(state),
        watch=watch,
    )


def static_fetch_cycles(
    words: npt.NDArray[np.uint32], architecture: Architecture
) -> npt.NDArray[np.int64]:
    """Cycles that each instruction word waits for the next one, taken branches aside."""
    return pack(words, architecture)["fetch"].astype(np.int64)
