"""Rows of the accuracy table: counts, and records with the command that reproduces each row."""

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
"""The reference of a quantity. ``law``: measured divisions, for the latency model of a divider;
``isa``: a public RISC-V test suite; ``published``: figures of the paper."""
Criterion = Literal["equal", "between bounds", "within band"]
"""The condition of a match. ``between bounds``: the model gives an interval, because the record
lacks the values that determine the result. ``within band``: the ratio to a published figure must
lie within a band that was set in advance."""

COLUMNS = (
    "quantity", "truth", "compared", "mismatches", "worst", "command", "seed", "tool"
)  # fmt: skip
"""Columns of a record. ``worst``: empty without a difference. ``tool``: source of the reference,
with its version."""


@dataclass(frozen=True, slots=True)
class Record:
    """Counts of comparisons and mismatches of a quantity, with the command that reproduces them.

    ``worst``: text on the largest difference, or None; for a band, always the most distant ratio.
    ``origin``: file and line; empty for a live comparison.
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
        """Return quantity and counts as JSON-compatible data under the documented names."""
        return {name: getattr(self, name) for name in COLUMNS[:5]}

    def to_json(self) -> dict[str, str | int | None]:
        """Return the record as JSON-compatible data."""
        data = self.counts() | json_attributes(self, "criterion command seed tool")
        how = "recorded" if self.origin else "live"
        return data | {"how": how, "record": self.origin or None}

    @staticmethod
    def from_lockstep(
        results: Sequence[Result], entity: str, command: str, tool: str
    ) -> tuple[Record, ...]:
        """Return records of programs, issues, bus requests, words of memory, and rules met.

        Each program counts with its comparisons up to the first difference.
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
        unmet = f" (not: {', '.join(missing)})" if missing else ""
        met = row(f"rules of the reference met, of {total}{unmet}", total - len(missing))
        return (*rows, met) if total else rows


def read_records(path: Path) -> tuple[Record, ...]:
    """Read every record of a CSV file, or of all CSV files of a folder, sorted by name.

    Raises:
        GnomonError: if there is no record, or a row is invalid.
    """
    files = [path] if path.is_file() else sorted(path.glob("*.csv"))
    if not files:
        raise GnomonError(f"{path}: no recorded results (*.csv) here")
    found = tuple(_record(row) for file in files for row in read_csv_table(file))
    if not found:
        raise GnomonError(f"{files[0]}: no recorded results here")
    return found


def format_records(records: Iterable[Record], head: str) -> bytes:
    """Return the bytes of a file for :func:`read_records`; ``head`` becomes comment lines."""
    rows = [[getattr(each, name) for name in COLUMNS] for each in records]
    above = "".join(f"# {line}\n" for line in head.splitlines())
    return (above + csv_text(frame(COLUMNS, rows))).encode()


class Tally:
    """Counts of compared and differing rows. A row with several differing columns counts once.

    ``worst`` is the row with the largest numeric difference; a difference that is not numeric, such
    as another word, ranks above all numeric ones.
    """

    def __init__(self) -> None:
        self.compared = 0
        self.mismatches = 0
        self.worst: str | None = None
        self._most = -1.0

    def row(self, where: str, expected: Mapping[str, str], got: Mapping[str, object]) -> None:
        """Compare the columns in ``got`` with the columns of a measured row."""
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
        """Compare a measured number with the two bounds of the model."""
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
