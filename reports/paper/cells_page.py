"""The cells as lines of ``cells.csv``, of which each report replaces its own, and as a page."""

import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.files import read_text, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.report.page import render_markdown

from . import cells as measured
from .agreement import Errors
from .cells import FITTED_D, PARTS, READINGS, ROOMY_SCRATCHPADS, STATED_D, Cell, Cells, Refusal
from .published import ARMS, published_inverse_bound

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
    """Return a row per cell and reading: d, cycles published and gnomon's, or the refusal."""

    def keys(of: Cell | Refusal, reading: str) -> tuple[object, ...]:
        return (*of.key[:-1], of.d or of.key.param, of.line, reading, of.published)

    rows = [(*keys(cell, each), cell.ours(each), "") for cell in cells.cells for each in READINGS]
    rows += [(*keys(none, each), None, none.reason) for none in cells.refusals for each in READINGS]
    return frame(CELL_COLUMNS, rows)


def read_cells(text: str) -> pd.DataFrame:
    """Read the same from the cycles of the T13 in a ``cells.csv``."""
    table: Any = _read(text)
    table = table[(table["platform"] == "t13") & (table["metric"] == "cycles")]
    return frame(
        CELL_COLUMNS,
        (
            (int(row.table), row.algorithm, row.platform, row.variant, row.param_name[0],
             int(row.param), {"d": int(row.param), "f": FITTED_D}.get(row.param_name, STATED_D),
             row.line, row.reading, int(row.published), int(row.ours) if row.ours else None,
             "" if row.ours else row.note)
            for row in table.itertuples()
        ),
    )  # fmt: skip


def tuned_hybrid_growth(cells: pd.DataFrame) -> float | None:
    """Return the tuned hybrid learner's hart cycles, largest f over smallest; None if absent."""
    asked = {"table": 3, "d": FITTED_D, "line": "tuned", "variant": "opt", "reading": "hart"}
    own = cells[(cells[list(asked)] == pd.Series(asked)).all(axis=1)].sort_values("param")
    ours = own["ours"].dropna()
    return float(ours.iloc[-1] / ours.iloc[0]) if len(ours) else None


def merged_cells(before: str, rows: Iterable[Mapping[str, str]], owned: Owned) -> str:
    """Replace the ``owned`` lines of the file by ``rows``; the others stay as they are.

    Platforms come in the order of the tables, the T13 first, for any order of the parts. Lines of
    one platform that are not owned come before the new ones.
    """
    new = frame(COLUMNS, ([row[name] for name in COLUMNS] for row in rows))
    table = pd.concat([_others(before, owned), new])
    return csv_text(
        table.sort_values("platform", kind="stable", key=lambda of: of.map(_PLATFORM_ORDER.index))
    )


def others_of_cells(before: str, owned: Owned) -> str:
    """Return the lines that are not ``owned``, as text without a header, to follow new ones."""
    return csv_text(_others(before, owned)).partition("\n")[2]


def _others(before: str, owned: Owned) -> pd.DataFrame:
    table = _read(before)
    rows: list[Any] = table.to_dict("records")
    return table[[not owned(row) for row in rows]]


def _read(text: str) -> pd.DataFrame:
    if not text:
        return frame(COLUMNS, ())
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


_CLASSES = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump", "csr", "kmem", "kdsp",
)  # fmt: skip
_PARTS = dict(zip(("products", "inverse", "divisions", "copies"), PARTS.values(), strict=True))
_COUNTS = ("published", "hart", "ratio", "wall", "ratio ", "random", "paper's", "paper's ")


def write_cells(
    cells: Cells, folder: Path, nearest: Mapping[int, Errors] | None = None
) -> tuple[Path, ...]:
    """Write table and page into a folder; the same cells give the same bytes.

    ``nearest`` has the errors of the nearest interpretation of the counts, by table.

    Lines that another part of the report has written into the table stay, after these lines.
    """
    table = folder / "cells.csv"
    others = others_of_cells(
        read_text(table) if table.exists() else "",
        lambda row: (row["platform"], row["metric"]) == ("t13", "cycles"),
    )
    files = {"cells.csv": cells_csv(cells) + others, "cells.md": cells_markdown(cells, nearest)}
    return write_files(folder, files)


def cells_csv(cells: Cells) -> str:
    """Return one line per cell and reading; the text's d has its own parameter name."""
    table = cells_frame(cells)
    ratio = (table["ours"].astype(float) / table["published"].astype(float)).map("{:.4f}".format)
    is_stated = (table["table"] == 3) & (table["d"] == STATED_D)
    notes = [note for note in notes_of(cells) for _ in READINGS]
    table = table.assign(
        metric="cycles",
        unit="cycles",
        param_name=table["param_name"] + is_stated.map({True: f" (d={STATED_D})", False: ""}),
        ratio=ratio.where(table["ours"].notna(), ""),
        note=[*notes, *table["note"][len(notes) :]],
    )
    return csv_text(table[list(COLUMNS)])


def notes_of(cells: Cells) -> list[str]:
    """Return each cell's instruction mix, and the cause if it is outside its band."""
    known = {
        "cells": cells, "fitted": FITTED_D, "stated": STATED_D, "parts": _PARTS,
        "roomy_scratchpads": ROOMY_SCRATCHPADS, "bound": published_inverse_bound(),
    }  # fmt: skip
    text = render_markdown(Path(__file__).parent, "notes.md.j2", known)
    return [" ".join(note.split()) for note in text.split("\n\n") if note.strip()]


def cells_markdown(cells: Cells, nearest: Mapping[int, Errors] | None = None) -> str:
    def ratio(variant: str, table: int, param: int) -> float:
        column = cells.column(table, variant, None if table == 2 else FITTED_D)
        return column[measured.PARAMS.index(param)].ratio("hart")

    return render_markdown(
        Path(__file__).parent,
        "cells.md.j2",
        {
            "build": cells.cells[0].run.build,
            "nearest": nearest or {},
            "vector_machine": measured.MACHINES[1],
            "arms": ARMS,
            "fitted": FITTED_D,
            "stated": STATED_D,
            "counts": _COUNTS,
            "table": lambda table, d: _table(cells, table, d),
            "tuned": _tuned(cells),
            "reasons": dict.fromkeys(refusal.reason for refusal in cells.refusals),
            "tuned_growth": tuned_hybrid_growth(cells_frame(cells)),
            "products": {table: cells.cycles_per_product(table) for table in (2, 3)},
            "ratio": ratio,
            "bound": published_inverse_bound(),
            "roomy": [cell for cell in cells.cells if cell.roomy],
            "roomy_scratchpads": ROOMY_SCRATCHPADS,
            "mix": _mix(cells),
        },
    )


def _table(cells: Cells, table: int, d: int | None) -> pd.DataFrame:
    def verdict(cell: Cell) -> str:
        low, high = cell.band
        inside = "yes" if cell.in_band else "**no**"
        return f"{inside}, {low:.2f}..{high:.2f}" if cell.is_comparison else "none"

    return frame(
        ["variant", "d" if table == 2 else "f", "published", "hart", "ratio", "in its band",
         "wall", "ratio ", "random"],
        (
            [variant, cell.key.param, f"{cell.published:,}", *_both(cell, "hart", ".3f"),
             verdict(cell), *_both(cell, "wall", ".3f"),
             f"{cell.random.hart_cycles / cell.run.hart_cycles:.3f}"]
            for variant in measured.VARIANTS
            for cell in cells.column(table, variant, d)
        ),
    )  # fmt: skip


def _both(cell: Cell, reading: str, form: str) -> tuple[str, str]:
    return f"{cell.ours(reading):,}", format(cell.ratio(reading), form)


def _tuned(cells: Cells) -> pd.DataFrame:
    rows = []
    tuned: list[Cell | Refusal] = [cell for cell in cells.cells if cell.line == "tuned"]
    for cell in (*tuned, *cells.refusals):
        key = cell.key
        size = f"{key.param_name} = {key.param}" + ("" if cell.d is None else f", d = {cell.d}")
        row: list[object] = [key.table, key.variant, size, f"{cell.published:,}"]
        for reading in READINGS:
            if isinstance(cell, Refusal):
                row += ["none"] * 3
            else:
                gain = cells.paper(cell).ours(reading) / cell.ours(reading)
                # The tuned Hybrid learner solves another problem, so its quotient is no speed-up.
                row += [*_both(cell, reading, ".4f"), f"{gain:.1f}" if key.table == 2 else ""]
        rows.append(row)
    return frame(
        ["table", "variant", "size", "published", "hart", "ratio", "paper's", "wall", "ratio ",
         "paper's "],
        rows,
    )  # fmt: skip


def _mix(cells: Cells) -> pd.DataFrame:
    return frame(
        ["table", "variant", "param", *_PARTS, *_CLASSES, "repeats"],
        (
            (cell.key.table, cell.key.variant, cell.key.param,
             *(f"{cell.share(*prefixes):.1%}" for prefixes in _PARTS.values()),
             *(f"{cell.run.counter(f'issue.{name}'):,}" for name in _CLASSES),
             f"{cell.run.counter('retry.vcu'):,}")
            for cell in cells.cells
            if cell.is_comparison
        ),
    )  # fmt: skip
