"""Comparison of two instruction streams, hart by hart, up to their first difference."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from gnomon.observe.diff._stream import CYCLE, HART, PC, WORD, Array, Side


@dataclass(frozen=True, slots=True)
class Issue:
    """One executed instruction. ``index`` counts the instructions of its hart from 0."""

    index: int
    cycle: int
    pc: int
    word: int


@dataclass(frozen=True, slots=True)
class InstructionDifference:
    """The first instruction that differs.

    ``before``: pairs of equal instructions of both sides before it, in order.
    """

    hart: int  # the hart that executes it
    a: Issue | None  # instruction of each side there; None: the side has already ended
    b: Issue | None
    before: tuple[tuple[Issue, Issue], ...]
    after_a: tuple[Issue, ...] = ()  # the instructions that each side executes next
    after_b: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True)
class TimingDifference(InstructionDifference):
    """The first instruction that both sides execute, but in different cycles."""

    a: Issue
    b: Issue


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first differences of two streams."""

    difference: InstructionDifference | None  # in instructions; None: the instructions are equal
    timing: TimingDifference | None  # in cycles, before `difference`; None: the cycles are equal
    compared: int  # equal instructions of all harts


_NONE: Array = np.zeros((0, WORD + 1), dtype=np.int64)


@dataclass(slots=True)
class _Hart:
    """A hart on both sides.

    ``rows``: executed instructions not yet compared, by side. ``last``: the last compared ones.
    """

    rows: list[Array] = field(default_factory=lambda: [_NONE, _NONE])
    last: list[Array] = field(default_factory=lambda: [_NONE, _NONE])
    compared: int = 0
    found: bool = False


@dataclass(slots=True)
class _Source:
    """The chunks of one side, and the last cycle read from them."""

    chunks: Iterator[Array]
    reached: int = -1
    ended: bool = False


def compare(side_a: Side, side_b: Side, context: int = 5) -> Comparison:
    """Compare two streams of executed instructions.

    If several harts differ, the result names the hart whose first difference has the earliest
    cycle of A, then the lowest number. Memory stays constant unless one side of a hart lags.

    Args:
        side_a: the first side; it is read up to the difference.
        side_b: the second side; it is read up to the difference.
        context: number of instructions to keep before a difference, and at most after it.
    """
    sides = (side_a, side_b)
    sources = [_Source(side.chunks) for side in sides]
    harts: dict[int, _Hart] = defaultdict(_Hart)
    late: list[TimingDifference] = []
    while not all(source.ended for source in sources):
        waiting = [sum(len(hart.rows[k]) for hart in harts.values()) for k in range(2)]
        from_a = sources[1].ended or waiting[0] <= waiting[1]
        _read(sources, 0 if from_a and not sources[0].ended else 1, harts, context)
        for number, hart in sorted(harts.items()):
            if not hart.found:
                late = sorted([*late, *_advance(number, hart, sides, context)], key=_sort_key)[:1]
        if _is_settled(harts, sources, context):
            break
    first = _find_first(harts, context)
    if first is not None:  # timing differences after it mean nothing
        late = [each for each in late if each.hart != first.hart
                or each.a.index < harts[each.hart].compared]  # fmt: skip
    return Comparison(
        first, late[0] if late else None, sum(hart.compared for hart in harts.values())
    )


def _sort_key(each: TimingDifference) -> tuple[int, int]:
    return each.a.cycle, each.hart


def _read(sources: list[_Source], k: int, harts: dict[int, _Hart], context: int) -> None:
    """Distribute the next chunk of a side among its harts."""
    source, other = sources[k], sources[1 - k]
    chunk = next(source.chunks, None)
    if chunk is None:
        source.ended = True
        return
    source.reached = int(chunk[-1, CYCLE])
    for number in np.unique(chunk[:, HART]).tolist():
        rows = harts[number].rows
        # Rows that have no counterpart any more are only shown.
        shown = harts[number].found or (other.ended and not len(rows[1 - k]))
        if not (shown and len(rows[k]) > context):
            rows[k] = np.concatenate([rows[k], chunk[chunk[:, HART] == number]])


def _count_same(a: Array, b: Array, sides: tuple[Side, Side]) -> int:
    """Return the number of leading rows that are equal instructions."""
    moved = np.flatnonzero((a[:, PC] != b[:, PC]) | (a[:, WORD] != b[:, WORD]))
    if not len(moved):
        return len(a)
    other = np.flatnonzero(sides[0].keys(a[moved]) != sides[1].keys(b[moved]))
    return int(moved[other[0]]) if len(other) else len(a)


def _advance(
    number: int, hart: _Hart, sides: tuple[Side, Side], context: int
) -> Iterator[TimingDifference]:
    """Drop the equal leading rows of a hart; yield the first with different cycles, if any."""
    a, b = hart.rows
    count = min(len(a), len(b))
    if not count:
        return
    same = _count_same(a[:count], b[:count], sides)
    hart.found = same < count
    late = np.flatnonzero(a[:same, CYCLE] != b[:same, CYCLE])
    if len(late):
        at = int(late[0])
        index = hart.compared + at
        pairs = _collect_pairs(hart, at, context)
        yield TimingDifference(
            number, _build_issue(a[at], index), _build_issue(b[at], index), pairs
        )
    for k, rows in enumerate((a, b)):
        done = np.concatenate([hart.last[k], rows[max(0, same - context) : same]])
        hart.last[k] = done[max(0, len(done) - context) :]
        hart.rows[k] = rows[same:]
    hart.compared += same


def _collect_pairs(hart: _Hart, at: int, context: int) -> tuple[tuple[Issue, Issue], ...]:
    """Return the instructions of both sides before row ``at``, as pairs."""
    a, b = (np.concatenate([hart.last[k], hart.rows[k][:at]]) for k in range(2))
    end = hart.compared + at
    return tuple(
        (_build_issue(a[len(a) - back], end - back), _build_issue(b[len(b) - back], end - back))
        for back in range(min(context, len(a)), 0, -1)
    )


def _is_settled(harts: dict[int, _Hart], sources: list[_Source], context: int) -> bool:
    """Return whether the first difference is final and its context is complete."""
    found = [hart for hart in harts.values() if hart.found]
    return bool(found) and all(
        source.ended
        or (
            source.reached >= min(int(hart.rows[k][0, CYCLE]) for hart in found)
            and all(len(hart.rows[k]) > context for hart in found)
        )
        for k, source in enumerate(sources)
    )


def _find_first(harts: dict[int, _Hart], context: int) -> InstructionDifference | None:
    """Return the earliest difference; instructions after the end of one side count as one."""
    differing = [(n, hart) for n, hart in sorted(harts.items()) if any(map(len, hart.rows))]
    parted = [each for each in differing if each[1].found] or differing
    if not parted:
        return None
    number, hart = min(
        parted, key=lambda each: next(int(rows[0, CYCLE]) for rows in each[1].rows if len(rows))
    )
    a, b = (
        tuple(_build_issue(row, hart.compared + k) for k, row in enumerate(rows[: context + 1]))
        for rows in hart.rows
    )
    here = (a[0] if a else None, b[0] if b else None)
    return InstructionDifference(number, *here, _collect_pairs(hart, 0, context), a[1:], b[1:])


def _build_issue(row: Array, index: int) -> Issue:
    return Issue(index, int(row[CYCLE]), int(row[PC]), int(row[WORD]))
