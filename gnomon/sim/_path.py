"""The path of a run, recorded once: what its timing hangs on, event by event.

With one hart awake, timing never changes what a program does, and most of its timing is static.
What is not are a few events: vector instructions, transfers, the first load or store behind a
transfer, divisions. The recorder runs the program on the real engine with all units idle at every
event, and notes each event with its cycle and operands; :mod:`gnomon.sim._retime` then prices the
path for other machines.

What could make timing visible to the program is refused: several harts awake, counters, interrupts,
traps, code that writes itself, vector instructions that write what they still read. Whether it
reads the clock register cannot be seen from outside, so every path is run twice, the second time
with delays at the events: a program that uses the time does something else then.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gnomon.arch.dividers import execute_cycles
from gnomon.base.compiled import without_collection
from gnomon.base.errors import GnomonError
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim import _vcu, _vcu_function
from gnomon.sim._csr_numbers import MHARTID, MSCRATCH, MSTATUS, MTVEC, PCER
from gnomon.sim._engine import engine
from gnomon.sim._machine import Array, build_machine
from gnomon.sim._rare import execute_rare
from gnomon.sim._regions import RegionMeter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim._run import Region, RegionRun

VECTOR, DIVIDE, TRANSFER, MEMORY, DIVISION, MARK = range(1, 7)
"""Kinds of events."""

E_KIND, E_CYCLE, E_A, E_B, E_C, E_D, E_E, E_F = range(8)
EVENT_COLUMNS = 8

_IDLE = -(1 << 40)
_QUANTUM = 1 << 56
_DELAY_SLOTS = 5
_DIVISIONS = (op.DIV, op.DIVU, op.REM, op.REMU)


def _plain(function: Callable[[int], bool]) -> Callable[[int], bool]:
    """A function of the engine as Python calls it."""
    found: Callable[[int], bool] = getattr(function, "py_func", function)
    return found


divides = _plain(_vcu.divides)
reads_scalar_in_spm = _plain(_vcu.reads_scalar_in_spm)
reads_vector_b = _plain(_vcu.reads_vector_b)
is_reduction = _plain(_vcu_function.is_reduction)
_CSRS = (MHARTID, MSCRATCH, MSTATUS, MTVEC, PCER)


class NotPriceable(GnomonError):  # noqa: N818 - a refusal, not a malfunction
    """The timing of this run may change what it does, or is not understood."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One entry of a region: the marks at its start and its end."""

    region: str
    hart: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class TimedPath:
    """A recorded path.

    Attributes:
        architecture: the machine of the recording.
        events: one row per event: kind, cycle with all units idle, and its own columns.
        operands: dividends and divisors of vector divisions, one pair per row.
        entries: of the regions.
        regions: as recorded, without any wait or retry.
        data_memory: as the run leaves it.
        exit_code: of the program.
    """

    architecture: Architecture
    events: Array
    operands: Array
    entries: tuple[Entry, ...]
    regions: Mapping[str, tuple[RegionRun, ...]]
    data_memory: bytes = field(repr=False)
    exit_code: int


def record_path(
    program: Program, architecture: Architecture, regions: Sequence[Region], *, max_cycles: int
) -> TimedPath:
    """Record the path of a program on a machine.

    Raises:
        NotPriceable: it cannot be priced on others; the message says why.
        GnomonError: the program does not fit the machine.
    """
    core = architecture.core
    if core.model != "t13" or core.harts < 2 or not core.superscalar:
        raise NotPriceable("only the t13 with two harts or more, superscalar, is understood")
    vcu = architecture.vcu
    if vcu is not None and any(present for _, present in vcu.morph_quirks):
        raise NotPriceable("vector division with the defects of the Morph RTL is not understood")
    plain = _Recorder(program, architecture, regions, max_cycles, delay=0)
    plain.run()
    delayed = _Recorder(program, architecture, regions, max_cycles, delay=_DELAY_SLOTS)
    delayed.run()
    if not plain.same_function(delayed):
        raise NotPriceable("the program does something else when it is delayed")
    machine = plain.machine
    return TimedPath(
        architecture=architecture,
        events=np.array(plain.events, dtype=np.int64).reshape(-1, EVENT_COLUMNS),
        operands=np.array(plain.operands, dtype=np.int64).reshape(-1, 2),
        entries=tuple(plain.entries),
        regions=plain.meter.result(),
        data_memory=machine.ram[int(machine.cfg[at.C_DWORD0]) :].tobytes(),
        exit_code=int(machine.st[at.S_EXIT_CODE]),
    )


class _Recorder:
    """One run, stopped at every event."""

    def __init__(
        self,
        program: Program,
        architecture: Architecture,
        regions: Sequence[Region],
        max_cycles: int,
        *,
        delay: int,
    ) -> None:
        self.machine = build_machine(
            program, architecture, tracing=False, hard_limit=max_cycles - 1
        )
        self.meter = RegionMeter(self.machine, regions)
        self.region_words = set(self.machine.marks)
        self.delay = delay
        self.events: list[tuple[int, ...]] = []
        self.operands: list[tuple[int, int]] = []
        self.entries: list[Entry] = []
        self.open: dict[tuple[str, int], int] = {}
        self.marks = 0
        self.armed = False
        operations = self.machine.decoded & 0xFF
        vector = (operations >= op.KADDV) & (operations <= op.KSVDIVPSRF)
        always = vector | np.isin(operations, [op.KMEMLD, op.KMEMSTR, op.KBCASTLD, *_DIVISIONS])
        memory = (operations >= op.LB) & (operations <= op.SW)
        memory |= np.isin(operations, [op.LOAD_X0, op.ILLEGAL_LSU, op.AMOSWAP])
        self.is_event, self.is_memory = always, memory
        self.memory_words = np.flatnonzero(memory)
        for index in np.flatnonzero(always).tolist():
            self.machine.mark(index)

    def run(self) -> None:
        machine, st = self.machine, self.machine.st
        arguments = machine.engine_arguments()
        loop: Callable[..., int] = engine(inorder=False, divides=machine.divides)
        st[at.S_QUANTUM_END] = _QUANTUM
        while True:
            with without_collection():
                stop = loop(*arguments)
            self.meter.after_engine()
            st[at.S_PRINTED] = st[at.S_SPANS] = 0
            if stop == at.STOP_RARE:
                self._check_rare()
                stop = execute_rare(machine) or at.STOP_BUFFER
            if stop == at.STOP_MARK:
                self._stop()
            elif stop == at.STOP_EXIT:
                return
            elif stop != at.STOP_BUFFER:
                raise NotPriceable("the run does not end by itself, or rewrites its instructions")

    def same_function(self, other: _Recorder) -> bool:
        """Both runs did the same."""
        mine, its = self.machine, other.machine
        return (
            mine.st[at.S_EXIT_CODE] == its.st[at.S_EXIT_CODE]
            and np.array_equal(mine.ram, its.ram)
            and np.array_equal(mine.prof[:, 0], its.prof[:, 0])
            and len(self.events) == len(other.events)
        )

    def _check_rare(self) -> None:
        st, machine = self.machine.st, self.machine
        kind = int(st[at.S_RARE])
        if kind == at.RARE_CSR:
            h = int(st[at.S_HART])
            entry = int(machine.decoded[machine.word_index(int(machine.hs[h, at.H_PC]))])
            if (entry >> 32) & 0xFFF in _CSRS:
                return
        elif kind == at.RARE_SLEEP:
            return
        raise NotPriceable("the program reads counters, traps or takes interrupts")

    def _stop(self) -> None:
        machine, st = self.machine, self.machine.st
        h = int(st[at.S_HART])
        index = machine.word_index(int(machine.hs[h, at.H_PC]))
        entry = int(machine.decoded[index])
        operation = entry & 0xFF
        # Idle: what is in flight is worked out when the path is priced.
        st[at.S_LSU_LAST] = st[at.S_XFER_LAST] = _IDLE
        st[at.S_VCU0 : at.S_VCU0 + at.MAX_HARTS] = _IDLE
        st[at.S_ARBITER : at.S_COUNT] = 0
        st[at.S_XFER_SPM], st[at.S_XFER_UNITS] = -1, 0
        st[at.S_CYCLE] += self.delay * machine.harts
        cycle = int(st[at.S_CYCLE])
        if index in self.region_words or index in self.meter._marks:  # noqa: SLF001 - one room
            self._mark(cycle)
            if self.is_event[index]:
                machine.mark(index)  # the region has left and taken its mark away
        is_vector = op.KADDV <= operation <= op.KSVDIVPSRF
        is_transfer = operation in (op.KMEMLD, op.KMEMSTR, op.KBCASTLD)
        if is_vector or is_transfer or operation in _DIVISIONS:
            if st[at.S_MULTI] or h:
                raise NotPriceable("events of other harts than 0, or with several awake")
            base = h * at.REGISTER_STRIDE
            rd, rs1, rs2 = (
                int(machine.regs[base + ((entry >> place) & 63 if place == 8 else
                                         (entry >> place) & 31)])
                for place in (8, 14, 19)
            )  # fmt: skip
            if is_vector:
                self._vector(operation, cycle, rd, rs1, rs2)
            elif is_transfer:
                self._transfer(operation, cycle, rd, rs1, rs2)
            else:
                self._division(operation, cycle, rs1, rs2)
        elif self.armed and self.is_memory[index]:
            self.events.append((MEMORY, cycle, 0, 0, 0, 0, 0, 0))
            self._arm(armed=False)
        st[at.S_STEP_OVER] = 1

    def _mark(self, cycle: int) -> None:
        before = dict(self.meter._open)  # noqa: SLF001 - one room
        self.meter.at_mark()
        after = self.meter._open  # noqa: SLF001 - one room
        self.events.append((MARK, cycle, self.marks, 0, 0, 0, 0, 0))
        for key, opened in before.items():
            if after.get(key) is not opened:
                self.entries.append(Entry(key[0], key[1], self.open.pop(key), self.marks))
        for key, opened in after.items():
            if before.get(key) is not opened:
                self.open[key] = self.marks
        self.marks += 1

    def _arm(self, *, armed: bool) -> None:
        """Stop at every load and store until the first one behind a transfer."""
        if armed == self.armed:
            return
        self.armed = armed
        table, words = self.machine.table, self.memory_words
        table[words] = op.MARKED if armed else self.machine.decoded[words]
        for index in self.machine.marks:
            table[index] = op.MARKED

    def _pad(self, address: int) -> tuple[int, int]:
        """Scratchpad and word in it."""
        cfg = self.machine.cfg
        offset = (address - int(cfg[at.C_SPM_BASE])) & 0xFFFF_FFFF
        size = int(cfg[at.C_SPM_SIZE])
        return offset // size, offset % size // 4

    def _vector(self, o: int, cycle: int, rd: int, rs1: int, rs2: int) -> None:
        machine = self.machine
        size_bytes = int(machine.hs[0, at.H_MVSIZE])
        if machine.hs[0, at.H_MVTYPE] != 2:
            raise NotPriceable("vectors of 8- or 16-bit elements, whose results depend on lanes")
        words = (size_bytes + 3) // 4
        vector_b = reads_vector_b(o)
        target, at_d = self._pad(rd)
        sources, overlaps = 0, False
        read = [] if o == op.KBCAST else [rs1]
        read += [rs2] if vector_b else []
        for address in read:
            pad, first = self._pad(address)
            sources |= 1 << pad
            reach = 1 if is_reduction(o) else words
            overlaps |= pad == target and first != at_d and -reach < first - at_d < words
            overlaps |= pad == target and bool(is_reduction(o)) and first <= at_d < first + words
        if reads_scalar_in_spm(o):
            pad, first = self._pad(rs2)
            sources |= 1 << pad
            overlaps |= pad == target and at_d <= first < at_d + words
            if pad == self._pad(rs1)[0]:
                raise NotPriceable("a scalar in the scratchpad of its vector: waits change both")
        if overlaps and size_bytes:
            raise NotPriceable("a vector instruction writes what it still reads")
        first_pair = len(self.operands)
        kind, shift = VECTOR, 0
        if divides(o) and size_bytes:
            kind = DIVIDE
            shift = int(machine.hs[0, at.H_MPSCLFAC]) if o >= op.KVDIVPS else 0
            self.operands += self._pairs(o, words, rs1, rs2, vector_b=bool(vector_b))
        self.events.append((kind, cycle, o, size_bytes, sources, target, first_pair, shift))

    def _pairs(
        self, o: int, words: int, rs1: int, rs2: int, *, vector_b: bool
    ) -> list[tuple[int, int]]:
        """Dividends and divisors, before the instruction overwrites them."""
        spm, each = self.machine.spm, int(self.machine.cfg[at.C_SPM_SIZE]) // 4
        pad, first = self._pad(rs1)
        dividends = spm[pad * each + first : pad * each + first + words].tolist()
        if vector_b or reads_scalar_in_spm(o):
            pad, first = self._pad(rs2)
            count = words if vector_b else 1
            divisors = spm[pad * each + first : pad * each + first + count].tolist()
            divisors = divisors if vector_b else divisors * words
        else:
            divisors = [(rs2 + 2**31) % 2**32 - 2**31] * words
        return list(zip(dividends, divisors, strict=True))

    def _transfer(self, o: int, cycle: int, rd: int, rs1: int, rs2: int) -> None:
        if o == op.KBCASTLD:
            raise NotPriceable("broadcasts to all scratchpads are not understood")
        size_bytes = rs2 & (2 * int(self.machine.cfg[at.C_SPM_SIZE]) - 1)
        store = o == op.KMEMSTR
        pad, _ = self._pad(rs1 if store else rd)
        words = (size_bytes + 3) // 4
        self.events.append((TRANSFER, cycle, words, pad, int(store), 0, 0, 0))
        if words:
            self._arm(armed=True)

    def _division(self, o: int, cycle: int, x: int, y: int) -> None:
        signed = int(o in (op.DIV, op.REM))
        cfg, laws = self.machine.cfg, self.machine.laws
        taken = execute_cycles(
            int(cfg[at.C_DIV_LAW]), int(cfg[at.C_DIV_FIRST]), int(cfg[at.C_DIV_SECOND]), laws[0],
            x, y, signed,
        )  # fmt: skip
        self.events.append((DIVISION, cycle, x, y, signed, int(taken) - 1, 0, 0))
