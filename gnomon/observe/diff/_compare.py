"""Walk along two streams of instructions, hart by hart, to where they part."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from gnomon.observe.diff._stream import CYCLE, HART, PC, WORD

if TYPE_CHECKING:
    from gnomon.observe.diff._stream import Array, Side


@dataclass(frozen=True, slots=True)
class Issue:
    """One instruction that a hart executed. ``index`` counts those of the hart from 0."""

    index: int
    cycle: int
    pc: int
    word: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The first instruction that differs.

    Attributes:
        hart: whose.
        a, b: what each side executes there; None: it has ended before.
        before: the same instructions before it, of both sides, the last one last.
        after_a, after_b: what each side executes then.
    """

    hart: int
    a: Issue | None
    b: Issue | None
    before: tuple[tuple[Issue, Issue], ...]
    after_a: tuple[Issue, ...]
    after_b: tuple[Issue, ...]


@dataclass(frozen=True, slots=True)
class Timing:
    """The first instruction that both sides execute, in other cycles."""

    hart: int
    a: Issue
    b: Issue
    before: tuple[tuple[Issue, Issue], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a comparison found.

    Attributes:
        difference: in instructions; None: there is none.
        timing: in cycles, before that; None: there is none.
        compared: instructions that are the same, of all harts.
    """

    difference: Difference | None
    timing: Timing | None
    compared: int


_Rows: TypeAlias = "list[Array]"


@dataclass(slots=True)
class _Queue:
    """What one side has executed on one hart and the other has not been compared with."""

    parts: _Rows = field(default_factory=list)
    waiting: int = 0

    def put(self, rows: Array) -> None:
        self.parts.append(rows)
        self.waiting += len(rows)

    def joined(self) -> Array:
        if len(self.parts) > 1:
            self.parts = [np.concatenate(self.parts)]
        return self.parts[0]


@dataclass(slots=True)
class _Hart:
    a: _Queue = field(default_factory=_Queue)
    b: _Queue = field(default_factory=_Queue)
    compared: int = 0
    last_a: Array | None = None
    last_b: Array | None = None
    found: bool = False


class _Source:
    """The chunks of one side, and how far they have come."""

    def __init__(self, side: Side) -> None:
        self.chunks = side.chunks
        self.reached = -1
        self.ended = False

    def next(self) -> Array | None:
        rows = next(self.chunks, None)
        if rows is None:
            self.ended = True
            return None
        self.reached = int(rows[-1, CYCLE])
        return rows


def compare(side_a: Side, side_b: Side, context: int = 5) -> Found:
    """Compare two streams of executed instructions.

    Of several harts that differ, the one is told whose first difference comes in the earliest
    cycle of A, the lowest hart of those. Memory does not grow with the streams, as long as a hart
    is not behind on one side only.

    Args:
        side_a: one side; it is read up to the difference.
        side_b: the other one.
        context: how many instructions to keep before a difference, and at most after it.
    """
    a, b = _Source(side_a), _Source(side_b)
    harts: dict[int, _Hart] = defaultdict(_Hart)
    timing: Timing | None = None
    while not (a.ended and b.ended):
        behind_a = sum(hart.a.waiting for hart in harts.values())
        behind_b = sum(hart.b.waiting for hart in harts.values())
        from_a = not a.ended and (b.ended or behind_a <= behind_b)
        rows = (a if from_a else b).next()
        if rows is not None:
            for number, mine in _by_hart(rows):
                hart = harts[number]
                (hart.a if from_a else hart.b).put(mine)
        for number in sorted(harts):
            hart = harts[number]
            if not hart.found:
                timing = _earlier(timing, _advance(number, hart, side_a, side_b, context))
        if _settled(harts, a, b, context):
            break
    first = _first(harts, context)
    if first is not None and timing is not None and not _before(timing, first):
        timing = None
    return Found(first, timing, sum(hart.compared for hart in harts.values()))


def _by_hart(rows: Array) -> list[tuple[int, Array]]:
    first = int(rows[0, HART])
    if (rows[:, HART] == first).all():
        return [(first, rows)]
    return [(number, rows[rows[:, HART] == number]) for number in np.unique(rows[:, HART]).tolist()]


def _same(a: Array, b: Array, side_a: Side, side_b: Side) -> int:
    """How many rows are the same instructions, from the first on."""
    moved = np.flatnonzero((a[:, PC] != b[:, PC]) | (a[:, WORD] != b[:, WORD]))
    if not len(moved):
        return len(a)
    other = np.flatnonzero(side_a.keys(a[moved]) != side_b.keys(b[moved]))
    return int(moved[other[0]]) if len(other) else len(a)


def _advance(number: int, hart: _Hart, side_a: Side, side_b: Side, context: int) -> Timing | None:
    """Drop what both sides have done alike; returns the first of it done in other cycles."""
    count = min(hart.a.waiting, hart.b.waiting)
    if not count:
        return None
    a, b = hart.a.joined(), hart.b.joined()
    same = _same(a[:count], b[:count], side_a, side_b)
    hart.found = same < count
    timing = None
    late = np.flatnonzero(a[:same, CYCLE] != b[:same, CYCLE])
    if len(late):
        at = int(late[0])
        timing = Timing(
            number,
            _issue(a[at], hart.compared + at),
            _issue(b[at], hart.compared + at),
            _pairs(hart, a, b, at, context),
        )
    hart.last_a = _tail(hart.last_a, a[:same], context)
    hart.last_b = _tail(hart.last_b, b[:same], context)
    hart.compared += same
    for queue, rows in ((hart.a, a), (hart.b, b)):
        queue.parts = [rows[same:]] if len(rows) > same else []
        queue.waiting = len(rows) - same
    return timing


def _tail(before: Array | None, rows: Array, count: int) -> Array:
    """The last rows of what came before and of these."""
    if before is not None and len(rows) < count:
        rows = np.concatenate([before, rows])
    return rows[max(0, len(rows) - count) :]


def _pairs(
    hart: _Hart, a: Array, b: Array, at: int, context: int
) -> tuple[tuple[Issue, Issue], ...]:
    """The instructions of both sides before row ``at``."""
    if hart.last_a is not None and hart.last_b is not None:
        a = np.concatenate([hart.last_a, a[:at]])
        b = np.concatenate([hart.last_b, b[:at]])
    else:
        a, b = a[:at], b[:at]
    end = hart.compared + at
    kept = min(context, len(a))
    return tuple(
        (_issue(a[len(a) - back], end - back), _issue(b[len(b) - back], end - back))
        for back in range(kept, 0, -1)
    )


def _earlier(one: Timing | None, other: Timing | None) -> Timing | None:
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda timing: (timing.a.cycle, timing.hart))


def _settled(harts: dict[int, _Hart], a: _Source, b: _Source, context: int) -> bool:
    """Whether no earlier difference can come, and what follows the first one is there."""
    found = [hart for hart in harts.values() if hart.found]
    if not found:
        return False
    for queue_of, source in (("a", a), ("b", b)):
        first = min(int(getattr(hart, queue_of).joined()[0, CYCLE]) for hart in found)
        enough = all(getattr(hart, queue_of).waiting > context for hart in found)
        if not source.ended and not (source.reached >= first and enough):
            return False
    return True


def _first(harts: dict[int, _Hart], context: int) -> Difference | None:
    """The earliest difference; where one side has ended, what the other still does is one."""
    differing = [
        (number, hart) for number, hart in sorted(harts.items()) if hart.a.waiting or hart.b.waiting
    ]
    parted = [each for each in differing if each[1].found] or differing
    if not parted:
        return None

    def cycle(each: tuple[int, _Hart]) -> int:
        queue = each[1].a if each[1].a.waiting else each[1].b
        return int(queue.joined()[0, CYCLE])

    number, hart = min(parted, key=cycle)
    none = np.zeros((0, WORD + 1), dtype=np.int64)
    sides = []
    for queue in (hart.a, hart.b):
        rows = queue.joined()[: context + 1] if queue.waiting else none
        sides.append([_issue(row, hart.compared + k) for k, row in enumerate(rows)])
    return Difference(
        hart=number,
        a=sides[0][0] if sides[0] else None,
        b=sides[1][0] if sides[1] else None,
        before=_pairs(hart, none, none, 0, context),
        after_a=tuple(sides[0][1:]),
        after_b=tuple(sides[1][1:]),
    )


def _before(timing: Timing, first: Difference) -> bool:
    start = first.a or first.b
    return start is not None and (timing.hart != first.hart or timing.a.index < start.index)


def _issue(row: Array, index: int) -> Issue:
    return Issue(index, int(row[CYCLE]), int(row[PC]), int(row[WORD]))
