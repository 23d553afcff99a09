"""Writer of the issue log, piece by piece: memory does not grow with the length of the trace.

An instruction with several slots (retries of a busy vector unit, slots of a sleeping hart) has one
line. The line has the position of the first slot and the values of the last one. A first pass over
the pieces, from last to first, finds the rest of each instruction that crosses the end of a piece.
The second pass writes.
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
from gnomon.isa import Instruction, disassemble
from gnomon.observe.trace._timeline import WAITS, Slots, check_traced, read_slots
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
    """The first instruction of a hart in the following pieces, up to its end."""

    pc: int
    asleep: bool
    slots: int
    last: Mapping[str, int]  # values of its last slot, and its waits


@dataclass(frozen=True, eq=False, slots=True)
class _Piece:
    """Slots of a piece, grouped into instructions."""

    slots: Slots
    head: Array  # first slot of the instruction of each slot, within this piece

    @classmethod
    def from_slots(cls, slots: Slots, harts: int) -> _Piece:
        head = np.arange(len(slots.issued))
        for h in range(harts):
            mine = np.flatnonzero(slots.hart == h)
            if len(mine):
                new = np.append(True, ~_continues(slots, mine))
                head[mine] = mine[new][np.cumsum(new) - 1]
        return cls(slots, head)

    def waits(self, row: int) -> dict[str, int]:
        return {name: int(self.slots.by_cause[name][row]) for name in WAITS}

    def find_first(self, h: int, following: _Open | None) -> _Open | None:
        """Return the first instruction of a hart in this piece, up to its end in later pieces."""
        mine = np.flatnonzero(self.slots.hart == h)
        if not len(mine):
            return following
        first = int(mine[0])
        rows = mine[self.head[mine] == first]
        row = int(rows[-1])
        facts_ = {name: int(getattr(self.slots, name)[row]) for name in _OF_LAST}
        first_open = _Open(
            int(self.slots.pc[first]), bool(self.slots.asleep[first]), len(rows),
            facts_ | self.waits(row),
        )  # fmt: skip
        after = self.find_rest(h, following)
        if row == mine[-1] and after is not None:
            return replace(first_open, slots=first_open.slots + after.slots, last=after.last)
        return first_open

    def find_rest(self, h: int, following: _Open | None) -> _Open | None:
        """Return ``following`` if it continues the last instruction of the hart in this piece."""
        mine = np.flatnonzero(self.slots.hart == h)
        if following is None or not len(mine):
            return None
        row = int(mine[-1])
        both_asleep = bool(self.slots.asleep[row]) and following.asleep
        same = int(self.slots.pc[row]) == following.pc
        return following if same and (self.slots.tries[row] or both_asleep) else None


def _continues(slots: Slots, mine: Array) -> npt.NDArray[np.bool_]:
    """Return whether each slot of a hart but the first continues the slot before it."""
    same = slots.pc[mine][1:] == slots.pc[mine][:-1]
    asleep = slots.asleep[mine]
    again: npt.NDArray[np.bool_] = same & (slots.tries[mine][:-1] | (asleep[:-1] & asleep[1:]))
    return again


def write_log(
    run: Run, architecture: Architecture, program: Program, path: Path, *,
    piece_slots: int = PIECE_SLOTS,
) -> int:  # fmt: skip
    """Write the issue log, one line of CSV per instruction; return the number of instructions.

    Cycles are wall cycles. ``slots`` counts issue slots, including retries of a busy vector unit
    and slots of a sleeping hart. ``end_cycle`` is the first cycle after execute.
    """
    import pyarrow as pa
    from pyarrow import csv

    check_traced(run)
    assert run.trace is not None
    harts, count = len(run.harts), len(run.trace)
    starts = range(0, max(count, 1), piece_slots)

    def piece(start: int) -> _Piece:
        result = _Piece.from_slots(
            read_slots(run, architecture, start, min(start + piece_slots, count)), harts
        )
        release(run.trace, run.extra_cycles, run.waits)
        return result

    none: list[_Open | None] = [None] * harts
    following, rests = none, {0: none}
    for start in reversed(starts) if len(starts) > 1 else ():
        one = piece(start)
        rests[start] = [one.find_rest(h, following[h]) for h in range(harts)]
        following = [one.find_first(h, following[h]) for h in range(harts)]
    names = _Names(program, architecture.unit_rows)
    lines = 0
    before: list[tuple[int, bool, bool] | None] = [None] * harts
    with writing(path) as file:
        for start in starts:
            one = piece(start)
            columns = _build_columns(one, run, rests[start], before)
            columns |= names.columns(columns.pop("pc"), columns.pop("word"), pa)
            kind = pa.array(["issue", "sleep", "trap"]).take(pa.array(columns["kind"]))
            table = pa.table(
                {name: kind if name == "kind" else pa.array(columns[name]) for name in LOG_COLUMNS}
            )
            options = csv.WriteOptions(include_header=not start, quoting_style="needed")
            csv.write_csv(table, file, options)
            lines += len(table)
            before = _find_last_slots(one, before)
    return lines


def _find_last_slots(
    one: _Piece, before: Sequence[tuple[int, bool, bool] | None]
) -> list[tuple[int, bool, bool] | None]:
    """Return pc of the last slot of each hart, whether it is a retry, and whether it sleeps."""
    ends = list(before)
    for h in range(len(ends)):
        mine = np.flatnonzero(one.slots.hart == h)
        if len(mine):
            row = int(mine[-1])
            tried, asleep = bool(one.slots.tries[row]), bool(one.slots.asleep[row])
            ends[h] = int(one.slots.pc[row]), tried, asleep
    return ends


def _build_columns(
    one: _Piece, run: Run, after: Sequence[_Open | None],
    before: Sequence[tuple[int, bool, bool] | None],
) -> dict[str, Any]:  # fmt: skip
    """Return the columns of the instructions that begin in a piece, in the order of their slots."""
    slots, head = one.slots, one.head
    count = len(head)
    rows = np.arange(count)
    last = np.full(count, -1, dtype=np.int64)
    last[head] = rows  # rows ascend, so the last one of each head remains
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
                here[np.searchsorted(heads, first)] = False  # an earlier piece has its line
    # Of several tries, only the first can wait; sums cover the whole instruction.
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
    """Function and disassembly by address and word, cached."""

    program: Program
    units: tuple[Instruction, ...]
    known: dict[int, tuple[str, str]]

    def __init__(self, program: Program, units: tuple[Instruction, ...]) -> None:
        self.program, self.units, self.known = program, units, {}

    def columns(self, pc: Array, word: Array, pa: Any) -> dict[str, Any]:
        """Return the text columns; pc and word are hexadecimal."""
        pairs, which = np.unique(pc << 32 | word, return_inverse=True)
        places = [(int(pair) >> 32, int(pair) & 0xFFFF_FFFF) for pair in pairs]
        texts = [self._find_text(*place) for place in places]

        def column(values: Iterator[str]) -> Any:
            return pa.array(list(values), pa.string()).take(pa.array(which))

        return {
            "pc": column(f"{place:08x}" for place, _ in places),
            "word": column(f"{code:08x}" for _, code in places),
            "function": column(function for function, _ in texts),
            "disassembly": column(text for _, text in texts),
        }

    def _find_text(self, pc: int, word: int) -> tuple[str, str]:
        key = pc << 32 | word
        if key not in self.known:
            self.known[key] = (
                self.program.function_name(pc),
                disassemble(word, pc, units=self.units),
            )
        return self.known[key]
