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
    band_of,
)
from .cells_file import COLUMNS, others_of_cells
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
_NEAR = 0.1
"""Part of a ratio by which two count as near each other."""


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
    rows = []
    every: list[Cell | Refusal] = [*cells.cells, *cells.refusals]
    for cell in every:
        key = cell.key
        name = key.param_name if cell.d != STATED_D else f"{key.param_name} (d={STATED_D})"
        for reading in READINGS:
            row: list[object] = [
                *(key.table, key.algorithm, key.platform, key.variant, name, key.param),
                *(key.metric, "cycles", cell.line, reading, cell.published),
            ]
            if isinstance(cell, Refusal):
                row += ["", "", cell.reason]
            else:
                row += [
                    *(cell.ours(reading), f"{cell.ratio(reading):.4f}"),
                    note_of(cell, cells),
                ]
            rows.append(row)
    return csv_text(frame(COLUMNS, rows))


def note_of(cell: Cell, cells: Cells) -> str:
    """Instruction mix of a cell, and the cause if it is outside its band."""
    if cell.line == "tuned":
        return _tuned_note(cell, cells)
    mix = _mix_of(cell)
    if cell.d == STATED_D:
        return f"d = {STATED_D} as the text says, the published counts fit {FITTED_D}; {mix}"
    stated = "" if cell.d is None else f"d = {cell.d}; "
    if cell.in_band:
        return stated + mix
    low, high = cell.band
    note = f"{stated}outside {low:.2f}..{high:.2f}: {mix}"
    if cell.key.table != 3:
        return note
    two, three = (cells.cycles_per_product(table) for table in (2, 3))
    per_product = (
        f"per product of the inverse the published tables need {two[0]:.1f} (Table 2) and"
        f" {three[0]:.1f} (Table 3), ours {two[1]:.1f} and {three[1]:.1f}"
    )
    if cell.is_vector:
        same = cells.column(2, cell.key.variant, None)[-1].ratio("hart")
        bound = published_inverse_bound()
        return (
            f"{note}; the published tables differ: their vector inverse of 32 x 32 takes at most"
            f" {bound.two_at_most:.0f} in Table 2 (an eighth of std+vcu, d = 32) and at least"
            f" {bound.three_at_least} in Table 3 (std+vcu less opt+vcu at f = 8, less Table 2 at"
            f" d = 4), {bound.factor:.2f} times or more; our kernels, the same in both, have"
            f" {same:.2f} in Table 2 (d = 32); in the scalar std columns, {per_product}"
        )
    return (
        f"{note}; {per_product}, which alone gives {three[1] / three[0]:.2f}; the rest is the"
        " unpublished sequence of the optimised code"
    )


def _tuned_note(cell: Cell, cells: Cells) -> str:
    paper = cells.paper(cell)
    hart, wall = (paper.ours(reading) / cell.ours(reading) for reading in READINGS)
    stated = "" if cell.d is None else f"d = {cell.d}; "
    note = f"{stated}our paper line takes {hart:.1f} times the hart and {wall:.1f} times the wall"
    vectors, transfers = (cell.run.counter(f"issue.{name}") for name in ("kdsp", "kmem"))
    vector = f"{vectors} vector instructions and {transfers} transfers among "
    return f"{note} cycles; {vector if cell.is_vector else ''}{cell.run.issued} instructions"


def _mix_of(cell: Cell) -> str:
    parts = ", ".join(f"{name} {cell.share(*names):.0%}" for name, names in _PARTS.items())
    if not cell.is_vector:
        return f"{cell.run.hart_cycles / cell.products:.1f} hart cycles per 64-bit product; {parts}"
    vectors, busy = cell.run.counter("issue.kdsp"), cell.run.counter("retry.vcu")
    room = ""
    if cell.roomy:
        cycles = cell.roomy.hart_cycles
        room = (
            f"; {ROOMY_SCRATCHPADS} scratchpads, which hold k x k words, give {cycles} ="
            f" {cycles / cell.published:.3f} of the published"
        )
    return (
        f"{vectors} vector instructions and {cell.run.counter('issue.kmem')} transfers among"
        f" {cell.run.issued} instructions; {cell.run.hart_cycles / vectors:.1f} hart cycles per"
        f" vector instruction, {busy / vectors:.1f} of them repeats; {parts}{room}"
    )


def cells_markdown(cells: Cells) -> str:
    """The page."""
    products = {table: cells.cycles_per_product(table) for table in (2, 3)}
    alone = {table: ours / published for table, (published, ours) in products.items()}

    def ratio(variant: str, table: int, param: int) -> float:
        column = cells.column(table, variant, None if table == 2 else FITTED_D)
        return column[PARAMS.index(param)].ratio("hart")

    falls = {name: (ratio(name, 2, 32), ratio(name, 3, 16)) for name in ("std", "std+vcu")}
    largest = {
        name: {table: ratio(name, table, PARAMS[-1]) for table in (2, 3)} for name in ("std", "opt")
    }
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
            "has_tuned_hybrid": any((c.line, c.key.table) == ("tuned", 3) for c in cells.cells),
            "products": products,
            "alone": alone,
            "largest": largest,
            "near": all(abs(largest["std"][t] / alone[t] - 1) < _NEAR for t in (2, 3)),
            "work": {t: "more" if largest["opt"][t] > alone[t] else "less" for t in (2, 3)},
            "falls": falls,
            "vector": (*falls["std+vcu"], falls["std+vcu"][1] / falls["std+vcu"][0]),
            "scalar_fall": falls["std"][1] / falls["std"][0],
            "bound": published_inverse_bound(),
            "roomy": [cell for cell in cells.cells if cell.roomy],
            "roomy_scratchpads": ROOMY_SCRATCHPADS,
            "mix": _mix(cells),
        },
    )


def _table(cells: Cells, table: int, d: int | None) -> pd.DataFrame:
    rows = []
    for variant in VARIANTS:
        low, high = band_of(table, variant)
        for cell in cells.column(table, variant, d):
            verdict = "none"
            if cell.is_comparison:
                verdict = f"{'yes' if cell.in_band else '**no**'}, {low:.2f}..{high:.2f}"
            random = cell.random.hart_cycles / cell.run.hart_cycles
            rows.append(
                [variant, cell.key.param, f"{cell.published:,}", f"{cell.ours('hart'):,}",
                 f"{cell.ratio('hart'):.3f}", verdict, f"{cell.ours('wall'):,}",
                 f"{cell.ratio('wall'):.3f}", f"{random:.3f}"]
            )  # fmt: skip
    name = "d" if table == 2 else "f"
    return frame(
        ["variant", name, "published", "hart", "ratio", "in its band", "wall", "ratio ", "random"],
        rows,
    )


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
                continue
            gain = cells.paper(cell).ours(reading) / cell.ours(reading)
            row += [f"{cell.ours(reading):,}", f"{cell.ratio(reading):.4f}", f"{gain:.1f}"]
        rows.append(row)
    return frame(
        ["table", "variant", "size", "published", "hart", "ratio", "paper's", "wall", "ratio ",
         "paper's "],
        rows,
    )  # fmt: skip


def _mix(cells: Cells) -> pd.DataFrame:
    return frame(
        ["table", "variant", "param", *_PARTS, *_CLASSES, "repeats"],
        [
            [
                *(cell.key.table, cell.key.variant, cell.key.param),
                *(f"{cell.share(*prefixes):.1%}" for prefixes in _PARTS.values()),
                *(f"{cell.run.counter(f'issue.{name}'):,}" for name in _CLASSES),
                f"{cell.run.counter('retry.vcu'):,}",
            ]
            for cell in cells.cells
            if cell.is_comparison
        ],
    )
