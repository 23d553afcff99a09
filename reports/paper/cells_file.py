"""``cells.csv``: one line per cell and reading; each part of the reports replaces its own lines."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pandas as pd

from gnomon.base.frames import csv_text, frame

from .cells import FITTED_D, READINGS, STATED_D

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .cells import Cell, Cells, Refusal

    Owned = Callable[[Mapping[str, str]], bool]

COLUMNS = (
    "table", "algorithm", "platform", "variant", "param_name", "param", "metric", "unit", "line",
    "reading", "published", "ours", "ratio", "note",
)  # fmt: skip
CELL_COLUMNS = (
    "table", "algorithm", "platform", "variant", "param_name", "param", "d", "line", "reading",
    "published", "ours", "note",
)  # fmt: skip
_PLATFORM_ORDER = ("t13", "cortex-m4", "cortex-a72")


def cells_frame(cells: Cells) -> pd.DataFrame:
    """One row per cell and reading: its d, cycles published and ours, or why there are none."""

    def keys(of: Cell | Refusal, reading: str) -> tuple[object, ...]:
        return (*of.key[:-1], of.d or of.key.param, of.line, reading, of.published)

    known = [
        (*keys(cell, reading), cell.ours(reading), "")
        for cell in cells.cells
        for reading in READINGS
    ]
    refused = [
        (*keys(none, reading), None, none.reason) for none in cells.refusals for reading in READINGS
    ]
    return frame(CELL_COLUMNS, [*known, *refused])


def read_cells(text: str) -> pd.DataFrame:
    """The same from the cycles of the T13 in a ``cells.csv``."""
    table: Any = _table(text)
    table = table[(table["platform"] == "t13") & (table["metric"] == "cycles")]
    return frame(
        CELL_COLUMNS,
        (
            (int(row.table), row.algorithm, row.platform, row.variant, row.param_name[0],
             int(row.param), _d(row.table, row.param_name, row.param), row.line, row.reading,
             int(row.published), int(row.ours) if row.ours else None,
             "" if row.ours else row.note)
            for row in table.itertuples()
        ),
    )  # fmt: skip


def _d(table: str, param_name: str, param: str) -> int:
    if table == "2":
        return int(param)
    return FITTED_D if param_name == "f" else STATED_D


def tuned_hybrid_growth(cells: pd.DataFrame) -> float | None:
    """Hart cycles of the tuned hybrid learner, largest f over smallest; None if there are none."""
    is_tuned = (cells["table"] == 3) & (cells["d"] == FITTED_D) & (cells["line"] == "tuned")
    known = cells[is_tuned & cells["ours"].notna()].sort_values("param")
    own = known[(known["variant"] == "opt") & (known["reading"] == "hart")]
    return float(own["ours"].iloc[-1] / own["ours"].iloc[0]) if len(own) else None


def merged_cells(before: str, rows: Iterable[Mapping[str, str]], owned: Owned) -> str:
    """The file with the lines that are ``owned`` replaced by ``rows``; the others stay as they are.

    Platforms come in the order of the tables, the T13 first, whichever part is made first; lines of
    one platform that are not owned come before the new ones.
    """
    new = frame(COLUMNS, ([row[name] for name in COLUMNS] for row in rows))
    table = pd.concat([_others(before, owned), new])
    return csv_text(
        table.sort_values("platform", kind="stable", key=lambda of: of.map(_PLATFORM_ORDER.index))
    )


def others_of_cells(before: str, owned: Owned) -> str:
    """The lines that are not ``owned``, as text without a header, to stand behind new ones."""
    return csv_text(_others(before, owned)).partition("\n")[2]


def _others(before: str, owned: Owned) -> pd.DataFrame:
    table = _table(before)
    rows: list[Any] = table.to_dict("records")
    return table[[not owned(row) for row in rows]]


def _table(text: str) -> pd.DataFrame:
    if not text:
        return frame(COLUMNS, ())
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
