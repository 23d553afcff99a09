"""Rows of the accuracy table, how they are counted, and as records with the command of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.frames import csv_text, frame
from gnomon.base.tables import CsvRow, read_csv_table
from gnomon.base.values import json_attributes, parse_digits
from gnomon.rtl.lockstep import Result

Truth = Literal["rtl", "cocotb", "law", "isa", "published"]
"""What a quantity is compared with. ``law``: the law of a divider, with measured divisions;
``isa``: a public RISC-V test suite; ``published``: figures of the paper."""
Criterion = Literal["equal", "between bounds", "within band"]
"""When a comparison is no mismatch. ``between bounds``: the model gives an interval, because the
record lacks what decides within it. ``within band``: a published figure is compared, not met; ours
over it must be in a band that was set before."""

COLUMNS = (
    "quantity", "truth", "compared", "mismatches", "worst", "command", "seed", "tool"
)  # fmt: skip
"""Of a record. ``worst``: empty if nothing differed. ``tool``: what gave the truth, and version."""


@dataclass(frozen=True, slots=True)
class Record:
    """How often a quantity was compared with a truth and differed, and how that came about.

    ``worst`` says in words what the worst difference is; None if there is none. Of a band it is the
    ratio that is furthest off, in any case. ``origin``: file and line, empty if it was just
    measured.
    """

    quantity: str
    truth: Truth
    compared: int
    mismatches: int
    worst: str | None
    command: str = ""
    seed: str = ""
    tool: str = ""
    criterion: Criterion = "equal"
    origin: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether the simulator is wrong: a mismatch, other than with a published figure."""
        return self.mismatches > 0 and self.truth != "published"

    def counts(self) -> dict[str, str | int | None]:
        """What was compared, as plain data under the documented names."""
        return {name: getattr(self, name) for name in COLUMNS[:5]}

    def to_json(self) -> dict[str, str | int | None]:
        """All of it as plain data."""
        told = self.counts() | json_attributes(self, "criterion command seed tool")
        how = "recorded" if self.origin else "live"
        return told | {"how": how, "record": self.origin or None}

    @staticmethod
    def of_lockstep(
        results: Sequence[Result], entity: str, command: str, tool: str
    ) -> tuple[Record, ...]:
        """Programs, issues, bus requests and words of memory, and the rules that were met.

        A program counts with what was compared of it up to its first difference.
        """
        seeds = [each.seed for each in results if each.seed is not None]
        seed = f"{seeds[0]} to {seeds[-1]}" if seeds else ""
        found = [each.compared.divergence for each in results if each.compared.divergence]

        def row(what: str, compared: int, *kinds: str) -> Record:
            wrong = [each for each in found if each.kind in kinds]
            worst = f"cycle {wrong[0].cycle}: {wrong[0].summary}" if wrong else None
            quantity = f"{entity} in lock-step: {what}"
            return Record(quantity, "rtl", compared, len(wrong), worst, command, seed, tool)

        rows = (
            row("programs", len(results), "issue", "bus", "memory", "exit"),
            row("issues", sum(each.compared.issues for each in results), "issue"),
            row("bus requests", sum(each.compared.bus_requests for each in results), "bus"),
            row("words of memory", sum(each.compared.memory_words for each in results), "memory"),
        )
        rules = Result.coverage(results)
        total, missing = rules["all"], rules["not_met"]
        told = f" (not: {', '.join(missing)})" if missing else ""
        met = row(f"rules of the reference met, of {total}{told}", total - len(missing))
        return (*rows, met) if total else rows


def read_records(path: Path) -> tuple[Record, ...]:
    """Read every record of a CSV file, or in those of a folder, files by name.

    Raises:
        GnomonError: there is no such folder or no record in it, or a row cannot be used.
    """
    files = [path] if path.is_file() else sorted(path.glob("*.csv"))
    if not files:
        raise GnomonError(f"{path}: no recorded results (*.csv) here")
    found = tuple(_record(row) for file in files for row in read_csv_table(file))
    if not found:
        raise GnomonError(f"{files[0]}: no recorded results here")
    return found


def format_records(records: Iterable[Record], head: str) -> bytes:
    """Return the bytes of a file that ``read_records`` reads; ``head`` becomes comment lines."""
    rows = [[getattr(each, name) for name in COLUMNS] for each in records]
    above = "".join(f"# {line}\n" for line in head.splitlines())
    return (above + csv_text(frame(COLUMNS, rows))).encode()


class Tally:
    """Rows compared and rows that differ. A row counts once, however many of its columns do.

    The worst is the row whose numbers are furthest off; a difference that is no number, such as
    another word, comes before all of them.
    """

    def __init__(self) -> None:
        self.compared = 0
        self.mismatches = 0
        self.worst: str | None = None
        self._most = -1.0

    def row(self, where: str, expected: Mapping[str, str], got: Mapping[str, object]) -> None:
        """Compare the columns in ``got`` with those of a measured row."""
        self.compared += 1
        wrong = {name: str(value) for name, value in got.items() if str(value) != expected[name]}
        self.mismatches += bool(wrong)
        for name, value in wrong.items():
            off = _distance(value, expected[name])
            if off > self._most:
                self._most = off
                self.worst = f"{where}: {name} {value}, measured {expected[name]}"

    def number(self, where: str, got: int, measured: int) -> None:
        self.row(where, {"cycles": str(measured)}, {"cycles": got})

    def between(self, where: str, low: int, measured: int, high: int) -> None:
        """Hold a measured number against the two bounds that the model gives for it."""
        self.number(where, min(max(measured, low), high), measured)

    def record(
        self, quantity: str, truth: Truth, command: str, tool: str, criterion: Criterion = "equal"
    ) -> Record:
        counted = (self.compared, self.mismatches, self.worst)
        return Record(quantity, truth, *counted, command, "", tool, criterion)


def _distance(value: str, expected: str) -> float:
    try:
        return abs(int(value) - int(expected))
    except ValueError:
        return float("inf")


def _record(row: CsvRow) -> Record:
    values = row.values
    if tuple(values) != COLUMNS:
        raise GnomonError(f"{row.origin}: the columns must be {', '.join(COLUMNS)}")
    if values["truth"] not in get_args(Truth):
        raise GnomonError(
            f"{row.origin}: truth must not be {values['truth']!r}"
            f" {allowed_hint(values['truth'], get_args(Truth))}"
        )
    for column in ("quantity", "command", "tool"):
        if not values[column]:
            raise GnomonError(f"{row.origin}: {column} is empty")
    for column in ("compared", "mismatches"):
        text = values[column]
        if parse_digits(text) is None:
            raise GnomonError(f"{row.origin}: {column} must be a whole number, not {text!r}")
    counts = int(values["compared"]), int(values["mismatches"])
    what = values["quantity"], cast("Truth", values["truth"])
    how = values["command"], values["seed"], values["tool"]
    return Record(*what, *counts, values["worst"] or None, *how, origin=row.origin)
