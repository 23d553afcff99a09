"""Who gets the functional units that multithreaded accelerators share, cycle by cycle.

Follows FU_HANDLER_MT of RTL-DSP_Unit.vhd in T13x c2c62163, signal by signal. Every accelerator has,
for each unit, a flag that it holds the unit and one that it waits for it. Each unit has a ring of
``harts - 1`` entries with a write and a read pointer. An instruction that finds one of its units
busy, or awaited by anybody, enters itself in the rings of all its units and waits. Whenever a unit
is free and a waiting accelerator still wants it, the entry under the read pointer is granted, and
the pointer moves on.

An instruction that traps or has no length asks as well, but its accelerator does not wait: a
request that was not met at once stays, with its entry, until that accelerator waits another time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

UNITS = ("adder", "shifter", "multiplier", "accumulator", "comparator")
_NO_END = 10_000  # cycles after which an accelerator that waits will wait for ever


@dataclass(slots=True)
class _Side:
    """One accelerator. ``last_busy`` is of the instruction that runs, or None.

    ``to_run`` gives it for the first cycle in which a waiting instruction may read.
    """

    holds: set[str] = field(default_factory=set)
    awaits: set[str] = field(default_factory=set)
    granted: set[str] = field(default_factory=set)
    waiting: bool = False
    last_busy: int | None = None
    to_run: Callable[[int], int] | None = None

    def copy(self) -> _Side:
        return _Side(
            set(self.holds), set(self.awaits), set(self.granted), self.waiting, self.last_busy,
            self.to_run,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Request:
    """An instruction at its issue; ``to_run`` is None if it traps or has no length."""

    side: int
    units: frozenset[str]
    to_run: Callable[[int], int] | None


class Arbiter:
    def __init__(self, accelerators: int, units: tuple[str, ...] = UNITS) -> None:
        self._units = units
        self._sides = [_Side() for _ in range(accelerators)]
        self._entries = {unit: [0] * (accelerators - 1) for unit in units}
        self._write = dict.fromkeys(units, 0)
        self._read = dict.fromkeys(units, 0)
        self._busy: set[str] = set()  # held by anybody in the cycle before
        self._cycle = 0  # the next to be worked out

    def issue(self, cycle: int, request: Request) -> None:
        """Take an instruction."""
        while self._cycle < cycle:
            self._step(None)
        self._step(request)

    def last_busy(self) -> list[int | None]:
        """If nothing else comes: the last busy cycle of each accelerator, None = never ends.

        Accelerators that are idle, or were at the last issue, give a cycle in the past.
        """
        ahead = self._copy()
        ends = [-1 if side.last_busy is None else side.last_busy for side in ahead._sides]
        limit = ahead._cycle + _NO_END
        was_waiting = [side.waiting for side in ahead._sides]
        while ahead._cycle < limit and any(side.waiting for side in ahead._sides):
            ahead._step(None)
            for index, side in enumerate(ahead._sides):
                if was_waiting[index] and side.last_busy is not None:
                    ends[index] = side.last_busy
        return [None if side.waiting else end for side, end in zip(ahead._sides, ends, strict=True)]

    def _copy(self) -> Arbiter:
        other = Arbiter(len(self._sides), self._units)
        other._sides = [side.copy() for side in self._sides]
        other._entries = {unit: list(entries) for unit, entries in self._entries.items()}
        other._write, other._read = dict(self._write), dict(self._read)
        other._busy, other._cycle = set(self._busy), self._cycle
        return other

    def _step(self, request: Request | None) -> None:
        cycle = self._cycle
        holds = [set(side.holds) for side in self._sides]
        awaits = [set(side.awaits) for side in self._sides]
        entered: set[str] = set()
        starts: list[tuple[int, Callable[[int], int], int]] = []
        stays: set[int] = set()  # still waits in the next cycle
        for index, side in enumerate(self._sides):
            asks = request is not None and request.side == index
            accepted = asks and request is not None and request.to_run is not None
            runs = side.last_busy is not None and cycle <= side.last_busy
            if not (runs or side.waiting or accepted):
                holds[index].clear()
            if asks and request is not None:
                wanted = request.units
                awaited = set().union(*(each.awaits for each in self._sides))
                if not wanted & (self._busy | awaited):
                    holds[index] |= wanted
                    if request.to_run is not None:
                        starts.append((index, request.to_run, cycle))
                else:
                    awaits[index] |= wanted
                    entered = set(wanted)
                    if request.to_run is not None:
                        stays.add(index)
            elif side.waiting:
                for unit in self._units:
                    if unit in side.granted:
                        holds[index].add(unit)
                        awaits[index].discard(unit)
                    elif unit in side.awaits:
                        stays.add(index)
                if index not in stays:
                    assert side.to_run is not None
                    starts.append((index, side.to_run, cycle + 1))
        held = set().union(*holds)
        granted: list[set[str]] = [set() for _ in self._sides]
        moves: set[str] = set()
        for index in reversed(range(len(self._sides))):
            granted[index].clear()  # a grant that a higher one gave to it before is lost
            if self._sides[index].waiting:
                for unit in awaits[index] - held:
                    granted[self._entries[unit][self._read[unit]]].add(unit)
                    moves.add(unit)
        ring = len(self._sides) - 1
        if request is not None:
            for unit in entered:
                self._entries[unit][self._write[unit]] = request.side
                self._write[unit] = (self._write[unit] + 1) % ring
        for unit in moves:
            self._read[unit] = (self._read[unit] + 1) % ring
        for index, side in enumerate(self._sides):
            side.holds, side.awaits, side.granted = holds[index], awaits[index], granted[index]
            if side.last_busy is not None and cycle > side.last_busy:
                side.last_busy = None
            if index in stays and request is not None and request.side == index:
                side.to_run = request.to_run
            side.waiting = index in stays
        for index, to_run, first in starts:
            self._sides[index].last_busy = to_run(first)
        self._busy = held
        self._cycle += 1
