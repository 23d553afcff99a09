"""The result of a run: plain data, the same bytes for the same input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.frames import Framed, typed
from gnomon.base.values import json_attributes
from gnomon.sim._devices import DeviceRun
from gnomon.sim._ending import UNLIKE_RTL, Halted
from gnomon.sim._work import Work

if TYPE_CHECKING:
    import pandas as pd


TRACE_DTYPE = np.dtype([("cycle", "<i8"), ("hart", "u1"), ("pc", "<u4"), ("word", "<u4")])
"""One issue: cycle, hart, pc, instruction word (0x6F if a busy vector unit made it retry)."""

WAIT_DTYPE = np.dtype([("issue", "<i8"), ("cause", "u1"), ("cycles", "<i8")])
"""A wait of one issue: its number in the trace, an index into ``WAIT_CAUSES``, cycles."""

WAIT_CAUSES = ("wait.lsu", "wait.vcu", "wait.operand", "wait.fetch", "trap")
"""Waits of issues. ``wait.fetch`` holds the addition of a taken branch or a trap to that of its
word; ``trap`` is all cycles of an instruction that traps, including its slot."""

SPAN_DTYPE = np.dtype([("unit", "i1"), ("start", "<i8"), ("last", "<i8")])
"""A busy interval in cycles, ends included: accelerator 0, 1, 2 …, or -1 for the LSU."""

OPERANDS_DTYPE = np.dtype([("rd", "<u4"), ("rs1", "<u4"), ("rs2", "<u4"), ("size_bytes", "<u4")])
"""Operands of the instruction of a busy interval, and the bytes it processes."""


BUS_DTYPE = np.dtype([("cycle", "<i8"), ("enables", "u1"), ("address", "<u4"), ("data", "<u4")])
"""One request on the data bus, for the word at ``address``.

``enables``: the bytes written, bit 0 = lowest, 0 for a read. ``data``: the written value, in its
byte lanes; 0 for a read.
"""


_TRAPPED = 0xDEAD


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a program to measure, without extra cycles.

    Without ``end_address`` it is a function: from its first instruction to the first instruction
    after its return, outermost call only. If a trap enters the function, it ends after the mret
    of that trap. With ``end_address``, from the issue at one address to the next issue at the
    other.
    """

    name: str
    start_address: int
    end_address: int | None = None


@dataclass(frozen=True, slots=True)
class HartRun:
    """One hart. ``hart_cycles`` are the cycles in which it holds the execute stage.

    Each of these spans is from the issue of its instruction to the next issue of any hart, as
    mcycle counts with count_all = 0. ``issued`` and ``retired`` include the slots of a sleeping
    hart, in which a T13 issues its wfi again; the counter ``hartN.parked`` counts these slots. An
    in-order core sleeps without issues; ``hart0.parked`` counts its cycles.
    """

    issued: int
    retired: int
    vcu_retries: int
    hart_cycles: int


@dataclass(frozen=True, slots=True)
class RegionRun:
    """One region, summed over its entries on one hart.

    ``work`` is that of all harts together in this time. ``lengths`` is the number of entries by
    wall cycles, in ascending order.
    """

    name: str
    hart: int
    entries: int
    wall_cycles: int
    hart_cycles: int
    issued: int
    counters: Mapping[str, int]
    work: Work = field(repr=False)
    lengths: Mapping[int, int] = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        return json_attributes(self, "hart entries wall_cycles hart_cycles issued counters")


@dataclass(frozen=True, slots=True)
class RegionTotal:
    """One region over all harts.

    If each hart passes it once, ``wall_cycles`` are those from the first entry to the last exit;
    else those in which at least one hart is inside. ``hart_cycles`` (by hart) and ``work`` count
    all harts in this time, inside the region or not.
    """

    name: str
    harts: tuple[int, ...]  # harts that entered and left it
    entries: int  # of all these harts
    wall_cycles: int
    hart_cycles: tuple[int, ...]
    work: Work = field(repr=False)
    unfinished: tuple[int, ...] = ()  # harts that were inside when the run ended

    def check_finished(self) -> None:
        """Reject a region without a last exit.

        Raises:
            GnomonError: if a hart is inside when the run ends, while others have left.
        """
        if self.unfinished and {*self.unfinished} != {*self.harts}:
            inside = ", ".join(map(str, self.unfinished))
            raise GnomonError(
                f"region {self.name}: hart {inside} is in it when the program ends, and hart"
                f" {', '.join(map(str, self.harts))} has left it, so it has no last exit; let"
                " hart 0 wait for the others before main returns, or measure the whole program"
            )


@dataclass(frozen=True, slots=True)
class VectorWork:
    """Work of the vector unit or the transfer engine for one hart and instruction."""

    hart: int
    mnemonic: str
    issued: int
    beats: int
    size_bytes: int
    busy_cycles: int


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Issues and cycles per instruction; arrays of shape (harts, places) from ``base_address`` on.

    Places are ``step_bytes`` apart: an instruction word, or half a word with RV32C.

    ``cycles`` are execute cycles plus waits in decode; parked slots of a sleeping hart are
    issues of its wfi. ``parts`` splits them by cause, with all classes of ``issue`` and
    ``execute`` together; the parts sum to ``cycles``. ``buses``, of shape (words, 2 x buses),
    holds the values, then the toggles, of each word on each bus; None if they are not counted.
    """

    base_address: int
    step_bytes: int
    issues: npt.NDArray[np.int64]
    cycles: npt.NDArray[np.int64]
    parts: Mapping[str, npt.NDArray[np.int64]]
    buses: npt.NDArray[np.int64] | None = None

    @property
    def spent(self) -> npt.NDArray[np.int64]:
        """Columns with issues or cycles, ascending.

        A run may end while an instruction waits that has never issued.
        """
        return np.flatnonzero((self.issues != 0).any(axis=0) | (self.cycles != 0).any(axis=0))

    def address(self, place: int) -> int:
        """Return the address of the instruction of a column."""
        return self.base_address + self.step_bytes * place

    def place(self, address: int) -> int:
        """Return the column of the instruction at an address."""
        return (address - self.base_address) // self.step_bytes


class CallNode(NamedTuple):
    """One call path: a function, called at ``site`` from the function of ``parent``."""

    parent: int | None  # index of the caller's node; None for the first function of a hart
    hart: int  # number of the hart
    function: str  # its name
    site: int | None  # address of the instruction that entered it; None at reset
    calls: int  # number of entries on this path
    cycles: int  # in the function itself, without its callees


class StackUse(NamedTuple):
    """The deepest stack of a hart, from its first call on.

    The stacks of tasks are not followed: once a program gives a hart another stack, as a kernel
    does, ``switched`` is true, and the peak is that of the stack before.
    """

    hart: int  # number of the hart
    peak_bytes: int  # from the stack pointer at the first call down to the lowest one
    function: str  # the function that set the lowest one
    switched: bool = False  # the program loaded the stack pointer of another stack


@dataclass(frozen=True, slots=True)
class CallTree:
    """Cycles by call path; parents precede their children.

    ``too_deep`` counts calls below the deepest recorded frame; they replaced that frame.
    """

    nodes: tuple[CallNode, ...]
    stacks: tuple[StackUse, ...]
    too_deep: int


@dataclass(frozen=True, slots=True, eq=False)
class Run(Framed):
    """The result of one simulation.

    ``exit_cycle`` is the cycle of the exit store, or the last cycle simulated. ``counters`` splits
    the ``exit_cycle + 1`` cycles of the run by cause; the parts sum to that, checked in every run.
    ``regions`` are by hart, ``region_totals`` over all harts. ``printed`` are words; ``console`` is
    UTF-8 text, with U+FFFD for invalid bytes. ``unobserved`` names the keys of the machine that
    this run cannot have depended on: a machine with the same ``fingerprint`` gives the same run.
    ``extra_cycles`` has one element per row of ``trace``: cycles in execute beyond the first, of an
    in-order core including its wait for the next instruction. ``span_operands`` has one row per row
    of ``spans``. ``trace_windows`` are the recorded cycles, first and end; ``trace_cut``: whether a
    limit ended the recording. ``toggle_windows`` is the work of consecutive windows of cycles, if
    requested. ``devices`` are those with registers, by name.
    """

    arch: str
    program: str
    exit_code: int | None
    exit_cycle: int
    halted: Halted
    reason: str
    harts: tuple[HartRun, ...]
    regions: Mapping[str, tuple[RegionRun, ...]]
    region_totals: Mapping[str, RegionTotal] = field(repr=False)
    counters: Mapping[str, int]
    vector_work: tuple[VectorWork, ...]
    transfer_bus_requests: int
    printed: tuple[int, ...]
    console: str
    memory_crc32: Mapping[str, str]
    warnings: tuple[str, ...]
    unobserved: tuple[str, ...] = field(repr=False)
    architecture: Architecture = field(repr=False)
    work: Work = field(repr=False)
    profile: Profile = field(repr=False)
    trace: npt.NDArray[np.void] | None = field(default=None, repr=False)
    extra_cycles: npt.NDArray[np.uint32] | None = field(default=None, repr=False)
    waits: npt.NDArray[np.void] | None = field(default=None, repr=False)
    spans: npt.NDArray[np.void] | None = field(default=None, repr=False)
    span_operands: npt.NDArray[np.void] | None = field(default=None, repr=False)
    trace_windows: tuple[tuple[int, int], ...] = ()
    trace_cut: bool = False
    calls: CallTree | None = field(default=None, repr=False)
    bus: npt.NDArray[np.void] | None = field(default=None, repr=False)
    toggle_windows: tuple[Work, ...] = field(default=(), repr=False)
    instruction_memory: bytes = field(default=b"", repr=False)
    data_memory: bytes = field(default=b"", repr=False)
    region_memory: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    devices: Mapping[str, DeviceRun] = field(default_factory=dict)

    @property
    def wall_cycles(self) -> int:
        """Cycles from reset to the end of the run."""
        return self.exit_cycle + 1

    @property
    def call_nodes(self) -> tuple[CallNode, ...]:
        """Cycles by call path; parents precede their children.

        Raises:
            GnomonError: if calls were not recorded.
        """
        if self.calls is None:
            raise GnomonError(f"{self.program}: calls were not recorded; run with calls=True")
        return self.calls.nodes

    @property
    def trapped(self) -> bool:
        """Whether the exit code is one of the trap handler in ``start.S``: 0xDEAD and the cause."""
        return (self.exit_code or 0) >> 16 == _TRAPPED

    @property
    def unlike_rtl(self) -> tuple[str, ...]:
        """Warnings that the RTL may behave differently."""
        return tuple(each for each in self.warnings if each in UNLIKE_RTL)

    def bytes_at(self, address: int, size_bytes: int) -> bytes | None:
        """Return bytes of memory at the end of the run; None if they are not in one memory."""
        memory = self.architecture.memory
        held: tuple[bytes, ...] = (self.instruction_memory, self.data_memory)
        if memory.regions:
            held = tuple(self.region_memory[name] for name in memory.regions)
        for span, content in zip(memory.spans, held, strict=True):
            start = address - span.base
            if start >= 0 and start + size_bytes <= len(content):
                return content[start : start + size_bytes]
        return None

    def caption(self) -> str:
        """Return program, machine, kind of the end and wall cycles."""
        code = "" if self.exit_code is None else f", exit code {self.exit_code}"
        return (
            f"{self.program} on {self.arch}: {self.halted}{code}, {self.wall_cycles:,} wall cycles"
        )

    def frame(self) -> pd.DataFrame:
        """Return the wall cycles by cause: columns ``cause``, ``cycles``, ``share``."""
        total = self.wall_cycles
        rows = [
            (cause, cycles, cycles / total) for cause, cycles in self.counters.items() if cycles
        ]
        return typed(("cause", "cycles", "share"), rows)

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gnomon run --json`` prints."""
        names = (
            "arch program exit_code exit_cycle halted reason harts regions counters vector_work"
            " transfer_bus_requests printed console memory_crc32 warnings"
        )
        found = json_attributes(self, names)
        if self.devices:
            found["devices"] = {name: each.to_json() for name, each in self.devices.items()}
        return found
