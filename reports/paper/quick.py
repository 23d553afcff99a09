"""A part of the paper that takes minutes on a fresh checkout: small Disjoint cells and kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import write_files
from gnomon.base.frames import csv_text

from .cells import plan, run_cells
from .cells_file import cells_frame
from .cells_page import cells_csv
from .kernels import figure8_rows, run_kernels
from .speedups import speedup_rows, speedups

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from gnomon.report.study import Steps

    from .cells import Cells
    from .results import Results, Row

QUICK_TABLES = (2,)
QUICK_PARAMS = (4, 8)
QUICK_KERNEL_SIZES = (4, 8)


def run_quick(progress: Steps | None = None) -> tuple[Cells, pd.DataFrame]:
    """Measure all variants of both lines, Disjoint d = 4, 8; and Figure 8, n = 4, 8.

    Raises:
        CheckFailed: a result differs from its model, or from the same C on this computer.
    """
    cells = run_cells(plan(QUICK_TABLES, QUICK_PARAMS), progress)
    return cells, run_kernels(QUICK_KERNEL_SIZES, progress)[0]


def write_quick(cells: Cells, kernels: pd.DataFrame, folder: Path) -> tuple[Path, ...]:
    """Write its tables into a folder, for the page to lay them over the committed ones.

    Raises:
        GnomonError: a file cannot be written.
    """
    measured = cells_frame(cells)
    tables = {"cells.csv": cells_csv(cells), "figure8.csv": csv_text(figure8_rows(kernels))}
    for figure in (9, 11):
        tables[f"figure{figure}.csv"] = csv_text(speedup_rows(speedups(figure, measured)))
    return write_files(folder, tables)


def headline_lines(results: Results) -> tuple[str, ...]:
    """What speeds up, by how much and what it costs, for a terminal."""
    keys = {"algorithm": "Disjoint", "param": 32, "platform": "t13", "line": "paper",
            "reading": "hart"}  # fmt: skip

    def speedup(figure: int, variant: str) -> str:
        row = results.row(f"paper/figure{figure}.csv", variant=variant, **keys)
        ours, published = row.value("speedup", ".1f"), row.value("published_speedup", ".1f")
        return f"{ours} x (published {published})"

    def machine(name: str) -> Row:
        return results.row("area/machines.csv", machine=name, change="")

    energy = results.row(
        "energy/figures10-12.csv", table=2, platform="t13", variant="opt+vcu", param=32
    )
    ours, published = (energy.value(of, ".1%") for of in ("ours", "published"))
    luts = [machine(name).value("lut", ",.0f") for name in ("t13-paper-simd4", "t13")]
    factors = (f"other algorithm {speedup(9, 'opt')}", f"vector unit {speedup(11, 'std+vcu')}",
               f"both {speedup(11, 'opt+vcu')}")  # fmt: skip
    return (
        "LinearUCB on the Klessydra-T13, one Disjoint step, d = 32, 8 arms; committed rows:",
        f"  faster by: {'; '.join(factors)}",
        f"  energy: {ours} of the standard step's (published {published})",
        f"  it costs: {luts[0]} LUTs instead of {luts[1]}",
    )


def measured_lines(cells: Cells) -> tuple[str, ...]:
    """The cells of the paper line beside the published ones."""
    head = f"  {'variant':8} {'d':>3} {'published':>10} {'ours':>10}  ratio (hart cycles of a step)"
    return (
        head,
        *(
            f"  {cell.key.variant:8} {cell.key.param:3} {cell.published:10,} "
            f"{cell.ours('hart'):10,}  {cell.ratio('hart'):.3f}"
            for cell in cells.cells
            if cell.line == "paper"
        ),
    )
