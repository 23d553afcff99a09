"""The committed record of heavy groups: a row each, the oldest run first, and what is stale."""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from tests.heavy.digests import ROOT, digest_input
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
    """Read the rows by group, in the order of their runs."""
    if not path.exists():
        return {}
    kinds = {field.name: int if field.type == "int" else str for field in fields(Row)}
    with path.open(newline="") as file:
        rows = [
            Row(**{name: kinds[name](value) for name, value in each.items()})
            for each in csv.DictReader(file)
        ]
    return {row.group: row for row in rows}


def write_row(row: Row, path: Path = RECORD) -> None:
    """Put the row of a run at the end, in place of the last one of the same group."""
    rows = read_record(path)
    rows.pop(row.group, None)
    rows[row.group] = row
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(each) for each in rows.values())


def input_digests(group: Group) -> str:
    """Return ``path=digest`` of each input of a group."""
    return " ".join(f"{name.replace(' ', '-')}={digest_input(name)}" for name in group.inputs)


def changed_inputs(group: Group, row: Row | None) -> list[str] | None:
    """Return the inputs that differ from a row; None without a row."""
    if row is None:
        return None
    then = dict(each.split("=") for each in row.inputs.split())
    now = dict(each.split("=") for each in input_digests(group).split())
    return [name for name in {**now, **then} if then.get(name) != now.get(name)]


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
