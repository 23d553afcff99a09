"""Comparison of model and RTL: every issue, every request on the bus, the final memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any, Literal

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.values import json_attributes, to_json_data
from gnomon.isa import Instruction, disassemble
from gnomon.rtl.lockstep._unit_results import find_wrong_execution
from gnomon.rtl.observed import (
    BusRequest,
    Issue,
    Recorded,
    RtlRun,
    bus_rows,
    nonzero,
)
from gnomon.sim import Run

TAIL = 20
_RETRY_WORD = 0x6F

Kind = Literal["unit", "issue", "bus", "memory", "exit"]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference. ``model`` and ``rtl``: the last events of each side, as text."""

    kind: Kind
    cycle: int
    summary: str
    model: tuple[str, ...]
    rtl: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"cycle {self.cycle}, {self.kind}: {self.summary}"]
        for title, events in (("model", self.model), ("RTL", self.rtl)):
            lines += [f"  last {len(events)} events, {title}:", *(f"    {each}" for each in events)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Compared:
    """The numbers of compared items of a run, and the first difference or None."""

    issues: int
    bus_requests: int
    memory_words: int
    divergence: Divergence | None

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        counts = json_attributes(self, "issues bus_requests memory_words")
        return counts | {"difference": to_json_data(self.divergence)}

    @staticmethod
    def from_run(run: Run, observed: RtlRun | Recorded, architecture: Architecture) -> Compared:
        """Compare a traced run of the model with a run of the RTL, up to the first difference.

        If an issue and a request on the bus differ, the result is the earlier one: a wrong load
        shows on the bus before it shows in a branch. In one cycle the result is the issue. A wrong
        execution of a unit precedes both, as it is their cause, unless they differ before it.
        """
        assert run.trace is not None
        assert run.bus is not None
        wrong = None
        if isinstance(observed, Recorded):
            if observed.units is not None:
                wrong = find_wrong_execution(architecture.units, observed.units)
            if wrong is None and observed.equals(run):
                words = (len(run.instruction_memory) + len(run.data_memory)) // 4
                return Compared(len(run.trace), len(run.bus), words, None)
            observed = observed.rows(architecture)
        issues: list[Issue] = [
            (cycle, hart, pc, word) for cycle, hart, pc, word in run.trace.tolist()
        ]
        bus = bus_rows(run.bus)
        whole = observed.ended == "exit"
        open_end = run.halted != "exit" and observed.ended == "cycle limit"
        stop = observed.cycle
        seen_bus = list(observed.bus)
        if not whole:
            # The log of a stopped simulation may lack its last rows.
            last = seen_bus[-1][0] if seen_bus else -1
            stop = min(stop, last)
            bus = [row for row in bus if row[0] <= stop]
            seen_bus = [row for row in seen_bus if row[0] <= stop]
        wanted_issues = issues if whole or open_end else issues[: len(observed.issues)]
        compared = (len(wanted_issues), len(bus))
        issue_text = partial(_issue_text, units=architecture.unit_rows)
        streams: tuple[tuple[Kind, Any, Any, Any, Callable[[Any], str]], ...] = (
            ("issue", issues, wanted_issues, observed.issues, issue_text),
            ("bus", bus, bus, seen_bus, _bus_text),
        )
        found = [each for stream in streams if (each := _find_difference(*stream)) is not None]
        if wrong is not None and all(wrong.cycle <= each.cycle for each in found):
            tails = [
                tuple(issue_text(each) for each in rows if each[0] <= wrong.cycle)[-TAIL:]
                for rows in (issues, observed.issues)
            ]
            return Compared(*compared, 0, Divergence("unit", *wrong, *tails))
        if found:  # in one cycle, min returns the issue, which comes first
            return Compared(*compared, 0, min(found, key=lambda each: each.cycle))
        if open_end:  # both continued up to the same cycle; there is no final memory
            return Compared(*compared, 0, None)
        if not whole:
            summary = (
                f"the RTL has not terminated by cycle {observed.cycle}, the model "
                f"terminates in cycle {run.exit_cycle}"
            )
            tails = [tuple(map(issue_text, each[-TAIL:])) for each in (issues, observed.issues)]
            return Compared(*compared, 0, Divergence("exit", run.exit_cycle, summary, *tails))
        words, difference = _compare_memory(run, observed.memory, architecture)
        return Compared(*compared, words, difference)


def _find_difference(
    kind: Kind,
    ours: Sequence[Any],
    wanted: Sequence[Any],
    seen: Sequence[Any],
    text: Callable[[Any], str],
) -> Divergence | None:
    """Return the first row of ``seen`` that differs from ``wanted``, a prefix of ``ours``."""
    pairs = enumerate(zip_longest(wanted, seen))
    index = next((k for k, (one, other) in pairs if one != other), None)
    if index is None:
        return None
    here = [rows[index] if index < len(rows) else None for rows in (ours, seen)]
    model, rtl = ("nothing more" if row is None else text(row) for row in here)
    last = slice(max(0, index + 1 - TAIL), index + 1)
    tails = [tuple(map(text, rows[last])) for rows in (ours, seen)]
    cycle = min(row[0] for row in here if row is not None)
    return Divergence(kind, cycle, f"{kind} {index}: model {model}; RTL {rtl}", *tails)


def _compare_memory(
    run: Run, seen: Mapping[int, str], architecture: Architecture
) -> tuple[int, Divergence | None]:
    memory = architecture.memory
    held = nonzero(run.instruction_memory, memory.instruction.base)
    held |= nonzero(run.data_memory, memory.data.base)
    total = (len(run.instruction_memory) + len(run.data_memory)) // 4
    pairs = ((each, f"{held.get(each, 0):08X}", seen.get(each, "0" * 8)) for each in {*held, *seen})
    wrong = sorted(each for each in pairs if each[1] != each[2])
    if not wrong:
        return total, None
    address, ours, theirs = wrong[0]
    return total, Divergence(
        "memory",
        run.exit_cycle,
        f"{len(wrong)} words differ at the exit, first at 0x{address:08X}: model {ours}, "
        f"RTL {theirs}{_undefined(theirs)}",
        tuple(f"0x{each:08X} {word}" for each, word, _ in wrong[:TAIL]),
        tuple(f"0x{each:08X} {word}" for each, _, word in wrong[:TAIL]),
    )


def _issue_text(row: Issue, units: Sequence[Instruction]) -> str:
    cycle, hart, pc, word = row
    return f"{cycle:7} hart {hart} pc {_hex(pc)} {_hex(word)} {_mnemonic(word, units)}"


def _bus_text(row: BusRequest) -> str:
    cycle, enables, address, data = row
    # A read has no data; with data and no byte enabled, it is a write of no byte.
    is_read = enables == "0" and not data.strip("0")
    what = "read" if is_read else f"write {data} bytes {enables}"
    return f"{cycle:7} {address} {what}{_undefined(data)}"


def _hex(value: int | str) -> str:
    return f"{value:08X}" if isinstance(value, int) else value


def _mnemonic(word: int | str, units: Sequence[Instruction]) -> str:
    if not isinstance(word, int):
        return "(undefined)"
    if word == _RETRY_WORD:
        return "(a jump to itself: the vector unit is busy)"
    try:
        return disassemble(word, units=units)
    except GnomonError:
        return "(illegal)"


def _undefined(text: str) -> str:
    return " (X: undefined in the RTL)" if "X" in text else ""
