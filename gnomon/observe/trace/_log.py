"""The issue log, written piece by piece: memory does not grow with the length of the trace.

An instruction that took several slots, tries of a busy vector unit or slots of a sleeping hart, has
one line, at the place of its first slot and with what its last one says. A first pass over the
pieces, from the last to the first, finds what each instruction that is still open at the end of a
piece comes to; the second one writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.files import writing
from gnomon.isa import disassemble
from gnomon.observe.trace._timeline import WAITS, Slots, check_traced, facts
from gnomon.program import Program
from gnomon.sim import Run, release

if TYPE_CHECKING:
    from collections.abc import Mapping

Array = npt.NDArray[np.int64]

LOG_COLUMNS = (
    "issue_cycle", "end_cycle", "hart", "pc", "word", "kind", "slots", "wait_operand_cycles",
    "wait_lsu_cycles", "wait_vcu_cycles", "wait_fetch_cycles", "function", "disassembly",
)  # fmt: skip
"""Columns of the log. ``kind``: issue, sleep or trap."""

PIECE_SLOTS = 1 << 16
_OF_LAST = ("issued", "end", "word", "asleep", "traps", "fetch")


@dataclass(frozen=True, slots=True)
class _Open:
    """What follows of one hart: the first of its slots there, and that instruction to its end."""

    pc: int
    asleep: bool
    slots: int
    last: Mapping[str, int]  # facts of its last slot, and its waits


@dataclass(frozen=True, eq=False, slots=True)
class _Piece:
    """Slots of a piece by hart, and how they belong together."""

    slots: Slots
    head: Array  # of each slot the first of its instruction, in this piece

    @classmethod
    def of(cls, slots: Slots, harts: int) -> _Piece:
        head = np.arange(len(slots.issued))
        for h in range(harts):
            mine = np.flatnonzero(slots.hart == h)
            if len(mine):
                new = np.append(True, ~_again(slots, mine))
                head[mine] = mine[new][np.cumsum(new) - 1]
        return cls(slots, head)

    def waits(self, row: int) -> dict[str, int]:
        return {name: int(self.slots.by_cause[name][row]) for name in WAITS}

    def opening(self, h: int, following: _Open | None) -> _Open | None:
        """Return the first instruction of a hart in this piece, which may go on behind it."""
        mine = np.flatnonzero(self.slots.hart == h)
        if not len(mine):
            return following
        first = int(mine[0])
        rows = mine[self.head[mine] == first]
        row = int(rows[-1])
        facts_ = {name: int(getattr(self.slots, name)[row]) for name in _OF_LAST}
        made = _Open(
            int(self.slots.pc[first]), bool(self.slots.asleep[first]), len(rows),
            facts_ | self.waits(row),
        )  # fmt: skip
        after = self.goes_on(h, following)
        if row == mine[-1] and after is not None:
            return replace(made, slots=made.slots + after.slots, last=after.last)
        return made

    def goes_on(self, h: int, following: _Open | None) -> _Open | None:
        """Return what follows, if the last instruction of the hart in this piece goes on there."""
        mine = np.flatnonzero(self.slots.hart == h)
        if following is None or not len(mine):
            return None
        row = int(mine[-1])
        both_asleep = bool(self.slots.asleep[row]) and following.asleep
        same = int(self.slots.pc[row]) == following.pc
        return following if same and (self.slots.tries[row] or both_asleep) else None


def _again(slots: Slots, mine: Array) -> npt.NDArray[np.bool_]:
    """Whether each slot of a hart but the first goes on with what the one before it did."""
    same = slots.pc[mine][1:] == slots.pc[mine][:-1]
    asleep = slots.asleep[mine]
    again: npt.NDArray[np.bool_] = same & (slots.tries[mine][:-1] | (asleep[:-1] & asleep[1:]))
    return again


def write_log(
    run: Run, architecture: Architecture, program: Program, path: Path, *,
    piece_slots: int = PIECE_SLOTS,
) -> int:  # fmt: skip
    """Write the issue log: a line of CSV per instruction; returns the number of instructions.

    Cycles are of the clock. ``slots`` are the issue slots an instruction took: tries of a busy
    vector unit, slots of a sleeping hart. ``end_cycle`` is the first one after its stay in execute.
    """
    import pyarrow as pa
    from pyarrow import csv

    check_traced(run)
    assert run.trace is not None
    harts, count = len(run.harts), len(run.trace)
    starts = range(0, max(count, 1), piece_slots)

    def piece(start: int) -> _Piece:
        made = _Piece.of(facts(run, architecture, start, min(start + piece_slots, count)), harts)
        release(run.trace, run.extra_cycles, run.waits)
        return made

    none: list[_Open | None] = [None] * harts
    following, goes_on = none, {0: none}
    for start in reversed(starts) if len(starts) > 1 else ():
        one = piece(start)
        goes_on[start] = [one.goes_on(h, following[h]) for h in range(harts)]
        following = [one.opening(h, following[h]) for h in range(harts)]
    names = _Names(program)
    lines = 0
    before: list[tuple[int, bool, bool] | None] = [None] * harts
    with writing(path) as file:
        for start in starts:
            one = piece(start)
            columns = _columns(one, run, goes_on[start], before)
            columns |= names.of(columns.pop("pc"), columns.pop("word"), pa)
            kind = pa.array(["issue", "sleep", "trap"]).take(pa.array(columns["kind"]))
            table = pa.table(
                {name: kind if name == "kind" else pa.array(columns[name]) for name in LOG_COLUMNS}
            )
            options = csv.WriteOptions(include_header=not start, quoting_style="needed")
            csv.write_csv(table, file, options)
            lines += len(table)
            before = _ends(one, before)
    return lines


def _ends(
    one: _Piece, before: Sequence[tuple[int, bool, bool] | None]
) -> list[tuple[int, bool, bool] | None]:
    """Return pc of the last slot of each hart, whether it is a try, and whether it is asleep."""
    ends = list(before)
    for h in range(len(ends)):
        mine = np.flatnonzero(one.slots.hart == h)
        if len(mine):
            row = int(mine[-1])
            tried, asleep = bool(one.slots.tries[row]), bool(one.slots.asleep[row])
            ends[h] = int(one.slots.pc[row]), tried, asleep
    return ends


def _columns(
    one: _Piece, run: Run, after: Sequence[_Open | None],
    before: Sequence[tuple[int, bool, bool] | None],
) -> dict[str, Any]:  # fmt: skip
    """Return the columns of the instructions that begin in a piece, in the order of their slots."""
    slots, head = one.slots, one.head
    count = len(head)
    rows = np.arange(count)
    last = np.full(count, -1, dtype=np.int64)
    last[head] = rows  # rows go up, so the last one of each head stays
    heads = np.flatnonzero(head == rows)
    tail = last[heads]
    facts_ = {name: getattr(slots, name)[tail].astype(np.int64) for name in _OF_LAST}
    facts_ |= {name: slots.by_cause[name][tail].astype(np.int64) for name in WAITS}
    taken = np.bincount(head, minlength=count)[heads] if count else heads
    place = {int(row): k for k, row in enumerate(heads.tolist())} if any(after) else {}
    here = np.ones(len(heads), dtype=bool)
    several = heads != tail
    for h in range(len(after)):
        mine = np.flatnonzero(slots.hart == h)
        if not len(mine):
            continue
        following = after[h]
        if following is not None:
            k = place[int(head[mine[-1]])]
            for name, value in following.last.items():
                facts_[name][k] = value
            taken[k] += following.slots
            several[k] = True
        earlier = before[h]
        if earlier is not None:
            pc, tried, asleep = earlier
            first = int(mine[0])
            if pc == slots.pc[first] and (tried or (asleep and slots.asleep[first])):
                here[np.searchsorted(heads, first)] = False  # it has its line in an earlier piece
    # Of tries, the first one waits, if any; sums are of the whole instruction.
    for name in WAITS:
        facts_[name] = facts_[name] + np.where(several, slots.by_cause[name][heads], 0)
    first_cycle, end_cycle = run.trace_windows[0][0], run.trace_windows[-1][1]
    here &= (facts_["end"] > first_cycle) & (facts_["issued"] < end_cycle)
    asleep = facts_["asleep"] != 0
    columns = {
        "issue_cycle": facts_["issued"],
        "end_cycle": facts_["end"],
        "hart": slots.hart[heads],
        "pc": slots.pc[heads],
        "word": facts_["word"],
        "kind": asleep + 2 * ((facts_["traps"] != 0) & ~asleep),
        "slots": taken,
        "wait_operand_cycles": facts_["wait.operand"],
        "wait_lsu_cycles": facts_["wait.lsu"],
        "wait_vcu_cycles": facts_["wait.vcu"],
        "wait_fetch_cycles": facts_["fetch"],
    }
    return {name: values[here] for name, values in columns.items()}


@dataclass(slots=True)
class _Names:
    """Function and disassembly of each place of the program, found once."""

    program: Program
    known: dict[int, tuple[str, str]]

    def __init__(self, program: Program) -> None:
        self.program, self.known = program, {}

    def of(self, pc: Array, word: Array, pa: Any) -> dict[str, Any]:
        """Return the columns of texts; the pc and word are hexadecimal there."""
        pairs, which = np.unique(pc << 32 | word, return_inverse=True)
        places = [(int(pair) >> 32, int(pair) & 0xFFFF_FFFF) for pair in pairs]
        texts = [self._text(*place) for place in places]

        def told(values: Iterator[str]) -> Any:
            return pa.array(list(values), pa.string()).take(pa.array(which))

        return {
            "pc": told(f"{place:08x}" for place, _ in places),
            "word": told(f"{code:08x}" for _, code in places),
            "function": told(function for function, _ in texts),
            "disassembly": told(text for _, text in texts),
        }

    def _text(self, pc: int, word: int) -> tuple[str, str]:
        key = pc << 32 | word
        if key not in self.known:
            self.known[key] = self.program.function_name(pc), disassemble(word, pc)
        return self.known[key]
