"""The committed record of heavy groups: a row each, the oldest run first, and what is stale."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from gnomon.base.files import write_aside
from tests.heavy.digests import ROOT, InputError, digest_input
from tests.heavy.groups import GROUPS, Group

RECORD = ROOT / "reports" / "validation" / "suite" / "heavy.csv"


@dataclass(frozen=True)
class Row:
    """What the last whole run of a group found."""

    group: str
    cases: int
    failed: int
    skipped: int
    cpu_s: int
    inputs: str  # path=digest, separated by blanks
    tools: str
    checkouts: str  # name=repository@commit, or name=not-run
    left_out: str  # reasons of skipped cases


def read_record(path: Path = RECORD) -> dict[str, Row]:
    """Read the rows by group, in the order of their runs.

    Raises:
        InputError: the file is not such a record.
    """
    if not path.exists():
        return {}
    kinds = {field.name: int if field.type == "int" else str for field in fields(Row)}
    rows: dict[str, Row] = {}
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        try:
            for each in reader:
                row = Row(**{name: kinds[name](value) for name, value in each.items()})
                rows[row.group] = row
        except (KeyError, TypeError, ValueError, csv.Error) as error:
            want = ",".join(kinds)
            line = max(reader.line_num, 1)
            raise InputError(f"{path}:{line}: not a row of the record (want {want})") from error
    return rows


def write_row(row: Row, path: Path = RECORD) -> None:
    """Put the row of a run at the end, in place of the last one of the same group."""
    rows = read_record(path)
    rows.pop(row.group, None)
    rows[row.group] = row
    path.parent.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(each) for each in rows.values())
    write_aside(path, text.getvalue().encode())  # a kill leaves the record as it was


def input_digests(group: Group) -> str:
    """Return ``path=digest`` of each input of a group."""
    return " ".join(f"{name.replace(' ', '-')}={digest_input(name)}" for name in group.inputs)


def changed_inputs(group: Group, row: Row | None) -> list[str] | None:
    """Return the inputs that differ from a row; None without a row."""
    if row is None:
        return None
    then, now = _by_input(row.inputs), _by_input(input_digests(group))
    return [name for name in {**now, **then} if then.get(name) != now.get(name)]


def _by_input(digests: str) -> dict[str, str]:
    return {name: digest for name, _, digest in (each.partition("=") for each in digests.split())}


def stale_groups() -> list[tuple[Group, list[str] | None]]:
    """Return the groups to run: those never run, then changed ones, the oldest row first."""
    rows = read_record()
    never: list[tuple[Group, list[str] | None]] = [
        (group, None) for group in GROUPS.values() if group.name not in rows
    ]
    changed = [
        (GROUPS[name], changed_inputs(GROUPS[name], row))
        for name, row in rows.items()
        if name in GROUPS
    ]
    return never + [(group, inputs) for group, inputs in changed if inputs]


def failed_rows() -> list[Row]:
    """Return the rows whose run had failures."""
    return [row for row in read_record().values() if row.failed]
