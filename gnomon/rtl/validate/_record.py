"""Recorded results: rows of the accuracy table with the command that repeats each of them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast, get_args

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.tables import CsvRow, read_csv_table
from gnomon.rtl.validate._row import Row, Truth

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

COLUMNS = (
    "quantity", "truth", "compared", "mismatches", "worst", "command", "seed", "tool"
)  # fmt: skip
"""Of a record. ``worst``: empty if nothing differed. ``tool``: what gave the truth, and version."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row, and how it came about. ``origin``: file and line, empty if it was just measured."""

    row: Row
    command: str
    seed: str
    tool: str
    origin: str = ""

    def to_json(self) -> dict[str, str | int | None]:
        """The row's plain data, and where it comes from."""
        return {
            **self.row.to_json(),
            "criterion": self.row.criterion,
            "how": "recorded" if self.origin else "live",
            "command": self.command,
            "seed": self.seed,
            "tool": self.tool,
            "record": self.origin or None,
        }


def read_records(folder: Path) -> tuple[Record, ...]:
    """Every record in the CSV files of a folder, files by name.

    Raises:
        GnomonError: there is no such folder or no record in it, or a row cannot be used.
    """
    files = sorted(folder.glob("*.csv"))
    if not files:
        raise GnomonError(f"{folder}: no recorded results (*.csv) here")
    return tuple(_record(row) for file in files for row in read_csv_table(file))


def record_bytes(records: Iterable[Record], head: str) -> bytes:
    """A file that ``read_records`` reads; ``head`` becomes comment lines."""
    text = io.StringIO()
    text.writelines(f"# {line}\n" for line in head.splitlines())
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for record in records:
        row = record.row
        numbers = (row.compared, row.mismatches, row.worst or "")
        writer.writerow(
            (row.quantity, row.truth, *numbers, record.command, record.seed, record.tool)
        )
    return text.getvalue().encode()


def _record(row: CsvRow) -> Record:
    if tuple(row.values) != COLUMNS:
        raise GnomonError(f"{row.origin}: the columns must be {', '.join(COLUMNS)}")
    truth = row.values["truth"]
    if truth not in get_args(Truth):
        near = did_you_mean(truth, get_args(Truth))
        allowed = ", ".join(get_args(Truth))
        raise GnomonError(f"{row.origin}: truth must not be {truth!r} (allowed: {allowed}{near})")
    for column in ("quantity", "command", "tool"):
        if not row.values[column]:
            raise GnomonError(f"{row.origin}: {column} is empty")
    compared, mismatches = (_count(row, name) for name in ("compared", "mismatches"))
    return Record(
        Row(
            row.values["quantity"],
            cast("Truth", truth),
            compared,
            mismatches,
            row.values["worst"] or None,
        ),
        row.values["command"],
        row.values["seed"],
        row.values["tool"],
        row.origin,
    )


def _count(row: CsvRow, column: str) -> int:
    text = row.values[column]
    if not (text.isascii() and text.isdecimal()):
        raise GnomonError(f"{row.origin}: {column} must be a whole number, not {text!r}")
    return int(text)
