"""The cells as lines of ``cells.csv`` and as a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.files import read_text, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.report.page import render_markdown

from .cells import (
    FITTED_D,
    PARAMS,
    READINGS,
    ROOMY_SCRATCHPADS,
    STATED_D,
    VARIANTS,
    VECTOR_MACHINE,
    Refusal,
)
from .cells_file import COLUMNS, cells_frame, others_of_cells, tuned_hybrid_growth
from .published import ARMS, published_inverse_bound

if TYPE_CHECKING:
    import pandas as pd

    from .cells import Cell, Cells

_CLASSES = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "jump", "csr", "kmem", "kdsp",
)  # fmt: skip
_PARTS = {
    "products": ("multiply_", "scale_"),
    "inverse": ("inverse_",),
    "divisions": ("paper_divide", "divide_"),
    "copies": ("memcpy", "memset", "transpose_", "reshape_"),
}
_COUNTS = ("published", "hart", "ratio", "wall", "ratio ", "random", "paper's", "paper's ")


def write_cells(cells: Cells, folder: Path) -> tuple[Path, ...]:
    """Write table and page into a folder; the same cells give the same bytes.

    What another part of the report has written into the table stays there, behind these lines.

    Raises:
        GnomonError: a file cannot be read or written.
    """
    table = folder / "cells.csv"
    others = others_of_cells(
        read_text(table) if table.exists() else "",
        lambda row: (row["platform"], row["metric"]) == ("t13", "cycles"),
    )
    files = {"cells.csv": cells_csv(cells) + others, "cells.md": cells_markdown(cells)}
    return write_files(folder, files)


def cells_csv(cells: Cells) -> str:
    """One line per cell and reading; the d of the text has a parameter name of its own."""
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
    """Of each cell: its instruction mix, and the cause if it is outside its band."""
    known = {
        "cells": cells,
        "fitted": FITTED_D,
        "stated": STATED_D,
        "parts": _PARTS,
        "roomy_scratchpads": ROOMY_SCRATCHPADS,
        "bound": published_inverse_bound(),
    }
    text = render_markdown(Path(__file__).parent, "notes.md.j2", known)
    return [" ".join(note.split()) for note in text.split("\n\n") if note.strip()]


def cells_markdown(cells: Cells) -> str:
    """The page."""

    def ratio(variant: str, table: int, param: int) -> float:
        column = cells.column(table, variant, None if table == 2 else FITTED_D)
        return column[PARAMS.index(param)].ratio("hart")

    return render_markdown(
        Path(__file__).parent,
        "cells.md.j2",
        {
            "build": cells.cells[0].run.build,
            "vector_machine": VECTOR_MACHINE,
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
            for variant in VARIANTS
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
                row += [*_both(cell, reading, ".4f"), f"{gain:.1f}"]
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
            [
                *(cell.key.table, cell.key.variant, cell.key.param),
                *(f"{cell.share(*prefixes):.1%}" for prefixes in _PARTS.values()),
                *(f"{cell.run.counter(f'issue.{name}'):,}" for name in _CLASSES),
                f"{cell.run.counter('retry.vcu'):,}",
            ]
            for cell in cells.cells
            if cell.is_comparison
        ),
    )
