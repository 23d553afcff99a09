"""Measured regions: counters between two points of a program, without extra cycles.

A mark on the first instruction of a region makes the loop stop before it. The issue cycle of that
instruction is known once the loop has stepped over it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.sim import _ops as op
from gnomon.sim._accounting import CAUSES, Array, name_causes, sum_causes
from gnomon.sim._machine import Machine
from gnomon.sim._run import Region, RegionRun, RegionTotal
from gnomon.sim._snapshot import WORK_COUNTS, snapshot, work_of

_RETURN_ADDRESS = 1  # ra
_STACK_POINTER = 2  # sp


# Counts of a hart at the issue of an instruction, in one vector.
_ISSUE_CYCLE, _HART_CYCLES, _ISSUED, _CAUSES = range(4)
_WORK = _CAUSES + len(CAUSES)


@dataclass(slots=True)
class _OpenEntry:
    start: Array
    end_address: int | None  # None: the mret that leaves the trap
    stack_pointer: int | None
    words: Sequence[int]  # where it may end
    trap_depth: int | None = None  # of the trap that entered the function
    returned: bool = False  # that mret is over

    def ends_at(self, pc: int, stack_pointer: int) -> bool:
        """Return whether the entry ends before the instruction at ``pc``."""
        if self.end_address is None:
            return self.returned
        return self.end_address == pc and self.stack_pointer in (None, stack_pointer)


@dataclass(slots=True)
class _RegionSum:
    counts: Array = field(default_factory=lambda: np.zeros(_WORK + WORK_COUNTS, dtype=np.int64))
    lengths: Counter[int] = field(default_factory=Counter)


@dataclass(slots=True)
class _RegionSpan:
    """A region over all harts: issue cycle, cycles of each hart, work."""

    inside: int = 0  # harts inside the region
    opened: Array | None = None  # counts when the first of these entered
    first: Array | None = None  # counts at the first entry of the run
    last: Array | None = None  # counts at the last exit
    closed: list[tuple[Array, Array]] = field(default_factory=list)  # to be added
    sum: Array | int = 0  # over the times in which some hart was inside

    def enter(self, point: Array) -> None:
        if not self.inside:
            self.opened = point
        if self.first is None:
            self.first = point
        self.inside += 1

    def leave(self, point: Array) -> None:
        self.inside -= 1
        self.last = point
        if not self.inside:
            assert self.opened is not None
            self.closed.append((self.opened, point))

    def add(self) -> None:
        """Add the closed entries, whose issue cycles are known by now."""
        for start, end in self.closed:
            self.sum = self.sum + (end - start)
        self.closed.clear()


@dataclass(slots=True)
class RegionMeter:
    """Meter of the regions of one run."""

    machine: Machine
    regions: Sequence[Region]
    _open: dict[tuple[str, int], _OpenEntry] = field(default_factory=dict)
    _sums: dict[tuple[str, int], _RegionSum] = field(default_factory=dict)
    _spans: dict[str, _RegionSpan] = field(default_factory=dict)
    _passing: list[Array] = field(default_factory=list)
    _closed: list[tuple[tuple[str, int], _OpenEntry, Array]] = field(default_factory=list)
    _marks: Counter[int] = field(default_factory=Counter)
    _opened_now: set[tuple[str, int]] = field(default_factory=set)

    def __post_init__(self) -> None:
        for region in self.regions:
            for address in (region.start_address, region.end_address):
                if address is not None and self._index(address) is None:
                    raise GnomonError(
                        f"region {region.name}: 0x{address:08X} is not in the instruction memory"
                    )
            self._mark(region.start_address, 1)

    def _index(self, address: int) -> int | None:
        offset, ishift = address - int(self.machine.cfg["ibase"]), int(self.machine.cfg["ishift"])
        if offset % (1 << ishift) or not 0 <= offset < int(self.machine.cfg["isize"]):
            return None
        return offset >> ishift

    def _mark(self, address: int, more: int) -> None:
        """Change the number of regions that start or end at an address by ``more``."""
        index = self._index(address)
        if index is not None:
            self._mark_word(index, more)

    def _mark_word(self, index: int, more: int) -> None:
        self._marks[index] += more
        (self.machine.mark if self._marks[index] else self.machine.unmark)(index)

    def at_mark(self) -> None:
        """Open and close regions at the marked instruction before which the loop stopped."""
        machine = self.machine
        h = int(machine.st["hart"])
        pc = int(machine.hs["pc"][h])
        own = [-1, machine.hart_cycles(h), machine.issued(h)]
        machine.st["pause"] &= ~(1 << h)
        work = snapshot(machine)
        here = np.concatenate([own, sum_causes(machine)[h], work])
        of_all = np.array([-1, *map(machine.hart_cycles, range(machine.harts)), *work])
        registers = machine.regs[h]
        stack_pointer = int(registers[_STACK_POINTER])
        self._opened_now.clear()
        for region in self.regions:
            key = (region.name, h)
            opened = self._open.get(key)
            if opened is not None and opened.ends_at(pc, stack_pointer):
                del self._open[key]
                self._mark_end(opened, -1)
                self._closed.append((key, opened, here))
                self._spans[region.name].leave(of_all)
                opened = None
            if opened is None and region.start_address == pc:
                opened = self._open[key] = self._enter(region, here)
                self._opened_now.add(key)
                self._spans.setdefault(region.name, _RegionSpan()).enter(of_all)
                self._mark_end(opened, 1)
            if opened is not None and self._leaves_trap(opened):
                opened.returned = True
                machine.st["pause"] |= 1 << h
        self._passing += [here, of_all]
        machine.st["step_over"] = 1

    def _enter(self, region: Region, here: Array) -> _OpenEntry:
        """Return the entry of a region at the marked instruction, where it starts."""
        machine, h = self.machine, int(self.machine.st["hart"])
        registers, hart = machine.regs[h], machine.hs[h]
        if region.end_address is None and int(hart["trap_slots"]) == machine.issued(h):
            first, last = machine.text
            returns = np.flatnonzero(machine.decoded["op"][first:last] == op.MRET) + first
            return _OpenEntry(here, None, None, returns.tolist(), int(hart["trap_depth"]))
        end, outermost = region.end_address, None
        if end is None:
            end, outermost = int(registers[_RETURN_ADDRESS]), int(registers[_STACK_POINTER])
        index = self._index(end)
        return _OpenEntry(here, end, outermost, [] if index is None else [index])

    def _leaves_trap(self, opened: _OpenEntry) -> bool:
        """Return whether the marked instruction is the mret of the trap of an entry."""
        machine = self.machine
        hart = machine.hs[int(machine.st["hart"])]
        here = machine.decoded["op"][machine.word_index(int(hart["pc"]))]
        return bool(here == op.MRET) and opened.trap_depth == int(hart["trap_depth"])

    def _mark_end(self, opened: _OpenEntry, more: int) -> None:
        """Change the number of entries that may end at some instructions by ``more``."""
        for index in opened.words:
            self._mark_word(index, more)

    def open_entries(self) -> dict[tuple[str, int], object]:
        """Return the regions that are entered and not left, by name and hart.

        The value identifies the entry.
        """
        return dict(self._open)

    def marked_words(self) -> list[int]:
        """Return the indices of the instruction words where a region starts or ends."""
        return [index for index, count in self._marks.items() if count]

    def just_opened(self, key: tuple[str, int]) -> bool:
        """Return whether the region was entered at the mark where the loop stopped."""
        return key in self._opened_now

    def drop(self, name: str) -> None:
        """Forget a region: remove its marks, and exclude it from the result."""
        for region in self.regions:
            if region.name == name:
                self._mark(region.start_address, -1)
        self._spans.pop(name, None)
        for key in [key for key in self._open if key[0] == name]:
            self._mark_end(self._open.pop(key), -1)
        self.regions = [region for region in self.regions if region.name != name]

    def after_engine(self) -> None:
        """Store the issue cycle of the instruction that the loop stepped over."""
        if self.machine.st["step_over"]:
            return
        for point in self._passing:
            point[_ISSUE_CYCLE] = self.machine.st["mark_cycle"]
        self._passing.clear()
        for key, opened, end in self._closed:
            total = self._sums.setdefault(key, _RegionSum())
            counts = end - opened.start
            total.counts += counts
            total.lengths[int(counts[_ISSUE_CYCLE])] += 1
        self._closed.clear()
        for span in self._spans.values():
            span.add()

    def result(self) -> Mapping[str, tuple[RegionRun, ...]]:
        runs = [
            RegionRun(
                name=name,
                hart=h,
                entries=total.lengths.total(),
                wall_cycles=(wall_cycles := int(total.counts[_ISSUE_CYCLE])),
                hart_cycles=int(total.counts[_HART_CYCLES]),
                issued=int(total.counts[_ISSUED]),
                counters=name_causes(total.counts[_CAUSES:_WORK]),
                work=work_of(total.counts[_WORK:], wall_cycles, self.machine),
                lengths=dict(sorted(total.lengths.items())),
            )
            for (name, h), total in sorted(self._sums.items())
        ]
        names = [region.name for region in self.regions]
        return {name: tuple(run for run in runs if run.name == name) for name in names}

    def totals(self) -> Mapping[str, RegionTotal]:
        """Return the regions over all harts, without regions that no hart has left."""
        found = {}
        unfinished = self._unfinished()
        for region in self.regions:
            passed = {h: s for (name, h), s in sorted(self._sums.items()) if name == region.name}
            if not passed:
                continue
            span, entries = self._spans[region.name], [s.lengths.total() for s in passed.values()]
            inside = tuple(h for name, h in unfinished if name == region.name)
            counts = span.sum
            if entries == [1] * len(passed) and not inside:
                assert span.first is not None
                assert span.last is not None
                counts = span.last - span.first
            if isinstance(counts, int):  # some hart was always inside
                counts = np.zeros(1 + self.machine.harts + WORK_COUNTS, dtype=np.int64)
            wall_cycles, work = int(counts[0]), counts[1 + self.machine.harts :]
            found[region.name] = RegionTotal(
                name=region.name,
                harts=tuple(passed),
                entries=sum(entries),
                wall_cycles=wall_cycles,
                hart_cycles=tuple(counts[1 : 1 + self.machine.harts].tolist()),
                work=work_of(work, wall_cycles, self.machine),
                unfinished=inside,
            )
        return found

    def _unfinished(self) -> list[tuple[str, int]]:
        """Return regions that were entered and not left, each with its hart.

        A region whose end was reached but not executed counts as not left.
        """
        return sorted({*self._open, *(key for key, _, _ in self._closed)})

    def still_open(self) -> tuple[str, ...]:
        """Return warnings about regions that were entered and not left."""
        return tuple(
            f"region {name} was entered and not left on hart {h}" for name, h in self._unfinished()
        )
