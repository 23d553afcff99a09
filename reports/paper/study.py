"""``gnomon report paper``: the LinearUCB paper made again, next to the published numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from gnomon.base.errors import GnomonError, known
from gnomon.base.files import write_files
from gnomon.base.frames import csv_text
from gnomon.report.study import (
    Json,
    Out,
    Pages,
    Steps,
    default_out,
    finish,
    size_of,
    steps_progress,
)

from .cells import Cells, plan, run_cells
from .cells_page import cells_csv, cells_frame, write_cells
from .figures import FIGURE_SIZES, read_figures, run_figures
from .figures_page import write_figures
from .kernels import figure8_rows, run_kernels, speedup_rows, speedups
from .page import write_paper
from .results import Results, Row, committed_reports

QUICK_TABLES = (2,)
QUICK_PARAMS = (4, 8)
QUICK_KERNEL_SIZES = (4, 8)


def run_quick(progress: Steps | None = None) -> tuple[Cells, pd.DataFrame]:
    """Measure all variants of both lines, Disjoint d = 4, 8; and Figure 8, n = 4, 8."""
    cells = run_cells(plan(QUICK_TABLES, QUICK_PARAMS), progress)
    return cells, run_kernels(QUICK_KERNEL_SIZES, progress)[0]


def write_quick(cells: Cells, kernels: pd.DataFrame, folder: Path) -> tuple[Path, ...]:
    """Write its tables into a folder, for the page to lay them over the committed ones."""
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


PARTS = ("cells", "figures", "page")

Part = Annotated[str, typer.Option("--part", metavar="NAME,...", help=f"Of: {', '.join(PARTS)}.")]
Size = Annotated[
    str, typer.Option("--size", help="Of the figures. small: seconds; full: as published.")
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick", help="Measure Disjoint d = 4, 8 and Figure 8, n = 4, 8; then make the page."
    ),
]


def main(
    *,
    part: Part = "cells,figures,page",
    size: Size = "full",
    quick: Quick = False,
    pages: Pages = False,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Measure and write.

    The page shows the tables of reports/; those in another --out folder are laid over them.
    """
    out = out or default_out("paper")
    if quick:
        _quick(out, as_json=as_json)
        return
    if pages:
        folder = committed_reports()
        made = write_figures(read_figures(folder / "paper"), out)
        finish({}, [*made, *write_paper(Results(folder), out)], as_json=as_json)
        return
    parts = [known("part of the paper report", word.strip(), PARTS) for word in part.split(",")]
    chosen = size_of(size, FIGURE_SIZES)
    # Before minutes of measuring, should they not be there.
    reports = committed_reports() if "page" in parts else None
    paths: list[Path] = []
    cells = None
    if "cells" in parts:
        with steps_progress("measuring cells") as progress:
            cells = run_cells(plan(), progress)
        paths += write_cells(cells, out)
    if "figures" in parts:
        shared = cells if chosen.name == "full" else None
        with steps_progress("measuring figures") as progress:
            figures = run_figures(chosen, progress, shared)
        paths += write_figures(figures, out)
    if reports is not None:
        is_own = out.resolve() == (reports / "paper").resolve()
        paths += write_paper(Results(reports, None if is_own else out), out)
    finish({}, paths, as_json=as_json)


def _quick(out: Path, *, as_json: bool) -> None:
    reports = committed_reports()
    if out.resolve() == (reports / "paper").resolve():
        raise GnomonError(
            f"--quick makes a part of the tables, which would take the place of all of {out}; "
            "give another folder by --out"
        )
    if not as_json:  # a result within seconds; compiling the simulator takes longer
        print("\n".join(headline_lines(Results(reports))), flush=True)
        print("measuring d = 4 and 8, and kernels of 4 x 4 and 8 x 8:", flush=True)
    with steps_progress("measuring") as progress:
        cells, kernels = run_quick(progress)
    if not as_json:
        print("\n".join(measured_lines(cells)), flush=True)
    paths = [*write_quick(cells, kernels, out), *write_paper(Results(reports, out), out)]
    if as_json:
        finish({}, paths, as_json=True)
    else:
        print(f"the page: {out / 'paper.html'}")
