"""The committed tables of ``reports/``, with newer rows of the same kind laid over them."""

import hashlib
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.frames import csv_text
from gnomon.base.tables import read_csv_table
from gnomon.report.table import Value, format_number

_SPEEDUP = ("algorithm", "d", "param", "platform", "variant", "line", "reading")
_KEYS: Mapping[str, tuple[str, ...]] = {
    "paper/cells.csv": (
        "table", "platform", "variant", "param", "metric", "line", "reading", "d",
    ),
    "paper/builds.csv.xz": ("table", "variant", "param", "compiler", "level", "division"),
    "paper/figure8.csv": ("kernel", "line", "n", "reading"),
    "paper/figure9.csv": _SPEEDUP,
    "paper/figure11.csv": _SPEEDUP,
    "paper/figure2-4.csv": ("learner", "line", "variant", "arms", "d", "f"),
    "linucb/operations.csv": ("algorithm", "variant", "stage", "arms", "d", "f"),
}  # fmt: skip
"""What names a row of a table."""

_PRINTED = ("published", "stated")
"""How columns begin that hold what the paper says, whoever runs what."""

_DIMENSIONS = re.compile(r"d = (\d+)")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table, with its position.

    ``is_new``: measured in this run. ``is_changed``: and a number differs from the committed row.
    """

    origin: str
    texts: Mapping[str, str]
    is_new: bool = False
    is_changed: bool = False

    def __getitem__(self, column: str) -> str:
        return self.texts[column]

    def value(self, column: str, form: str = "") -> Value:
        """Return one cell of the row, to be shown with its source."""
        source = f"{self.origin}:{column}"
        is_new = self.is_new and not column.startswith(_PRINTED)
        return format_number(self.texts[column], form, source=source, is_new=is_new)

    def number(self, column: str) -> float:
        """Return one cell of the row, to compute with."""
        try:
            return float(self.texts[column])
        except ValueError:
            raise GnomonError(
                f"{self.origin}: {column}: must be a number, not {self.texts[column]!r}"
            ) from None

    def known(self, column: str) -> float | None:
        """Return the same; None where the cell is empty."""
        return self.number(column) if self.texts[column] else None


class Results:
    """All tables that the page shows.

    Args:
        folder: with the tables as they are committed, such as ``reports``.
        fresh: folder with tables of ``folder / "paper"`` made in this run, if it is another one.
    """

    def __init__(self, folder: Path, fresh: Path | None = None) -> None:
        self.folder = folder
        self._fresh = fresh
        self._tables: dict[str, tuple[Row, ...]] = {}

    def rows(self, file: str, **keys: object) -> tuple[Row, ...]:
        """Return the rows of a table in which columns have these values."""
        if file not in self._tables:
            self._tables[file] = self._read(file)
        wanted = {column: str(value) for column, value in keys.items()}
        found = self._tables[file]
        for column in wanted:
            if found and column not in found[0].texts:
                raise GnomonError(f"{self.folder / file}: has no column {column!r}")
        return tuple(
            row for row in found if all(row.texts[name] == text for name, text in wanted.items())
        )

    def row(self, file: str, **keys: object) -> Row:
        """Return the one row in which columns have these values."""
        found = self.rows(file, **keys)
        if len(found) != 1:
            named = ", ".join(f"{column}={value}" for column, value in keys.items())
            raise GnomonError(
                f"{self.folder / file}: {len(found)} rows with {named}, where the page needs one"
            )
        return found[0]

    def frame(self, file: str, **keys: object) -> Any:
        """Return the rows with these keys, as numbers and texts; NaN where a cell is empty."""
        rows = [row.texts for row in self.rows(file, **keys)]
        return pd.read_csv(io.StringIO(csv_text(pd.DataFrame(rows))))

    def beside(self, file: str, **changes: object) -> Callable[[Row], Row]:
        """Return the row of the same table that differs from a row in these keys."""
        return lambda row: self.row(file, **{name: row[name] for name in _KEYS[file]} | changes)

    def cell(
        self,
        table: int,
        variant: str,
        param: int,
        reading: str = "hart",
        *,
        metric: str = "cycles",
        line: str = "paper",
        platform: str = "t13",
    ) -> Row:
        """Return one row of ``cells.csv``; of Table 3 with d = 4."""
        return self.row(
            "paper/cells.csv", table=table, variant=variant, param=param, reading=reading,
            metric=metric, line=line, platform=platform,
            d="" if table == 2 else 4,
        )  # fmt: skip

    @property
    def used(self) -> tuple[str, ...]:
        return tuple(sorted(self._tables))

    @property
    def has_new(self) -> bool:
        """Whether a row was measured in this run."""
        return any(row.is_new for rows in self._tables.values() for row in rows)

    @property
    def changed_rows(self) -> tuple[Row, ...]:
        return tuple(row for rows in self._tables.values() for row in rows if row.is_changed)

    def new_rows(self, file: str) -> tuple[Row, ...]:
        return tuple(row for row in self.rows(file) if row.is_new)

    def digest(self, file: str) -> str:
        """Return SHA-256 of a committed table, the first 12 digits."""
        return hashlib.sha256((self.folder / file).read_bytes()).hexdigest()[:12]

    def _read(self, file: str) -> tuple[Row, ...]:
        path = self.folder / file
        if not path.is_file():
            raise GnomonError(f"{path}: is not there; reports are part of the repository")
        rows = _rows(path, is_new=False)
        folder, _, name = file.rpartition("/")
        fresh = self._fresh / name if self._fresh and folder == "paper" else None
        if fresh is None or file not in _KEYS or not fresh.is_file():
            return rows
        # Published points without a gnomon run are the same in both.
        newer = {
            _key(file, row): row
            for row in _rows(fresh, is_new=True)
            if row.texts.get("line") != "published"
        }
        return tuple(_laid_over(row, newer.get(_key(file, row))) for row in rows)


def committed_reports() -> Path:
    """Return the folder ``reports`` of this checkout."""
    folder = content("reports")
    if not (folder / "paper").is_dir():
        raise GnomonError(
            f"{folder}: is not there; reports are part of the repository, not of a package"
        )
    return folder


def _key(file: str, row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in _KEYS[file])


def _laid_over(row: Row, newer: Row | None) -> Row:
    if newer is None:
        return row
    # Notes are text that depends on the other rows.
    changed = any(newer[name] != text for name, text in row.texts.items() if name != "note")
    return replace(newer, is_changed=changed)


def _rows(path: Path, *, is_new: bool) -> tuple[Row, ...]:
    is_cells = path.name == "cells.csv"
    rows = []
    for row in read_csv_table(path):
        values = dict(row.values)
        if is_cells:  # Table 3 names its d in the note
            found = _DIMENSIONS.match(values["note"])
            values["d"] = found[1] if found and values["table"] == "3" else ""
        rows.append(Row(row.origin, values, is_new))
    return tuple(rows)
