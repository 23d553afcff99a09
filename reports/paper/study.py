"""``gnomon report paper``: the LinearUCB paper made again, next to the published numbers."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, require_known
from gnomon.base.files import write_files
from gnomon.base.frames import csv_text, packed_csv
from gnomon.cli.study import Json, Out, Pages, option
from gnomon.report.explain import read_sidecar
from gnomon.report.page import read_picture, render_html, render_markdown
from gnomon.report.study import default_out, finish, size_of, steps_progress
from gnomon.report.table import PageColumn, PageTable, Value

from . import agreement, build_tables, cell_tables, figure_tables
from .builds import run_builds, run_rivals
from .cell import cell_again, cell_lines
from .cells import FITTED_D, STATED_D, Cells, plan, run_cells
from .cells_page import cells_csv, cells_frame, write_cells
from .columns import AGREES, REASONS
from .facts import Facts, headline_table, stated_table
from .figures import FIGURE_SIZES, read_figures, run_figures
from .figures_page import write_figures
from .findings import findings
from .kernels import figure8_rows, run_kernels, speedup_rows, speedups
from .results import Results, committed_reports

_MOST_LATEX_ROWS = 200
_PICTURES = {
    "operations": "linucb/operations.svg",
    "memory": "paper/figure2-4.svg",
    "memory_float": "linucb/memory.svg",
    "drift": "linucb/drift.svg",
    "reward": "linucb/reward.svg",
    "figure8": "paper/figure8.svg",
    "figure9": "paper/figure9.svg",
    "energy": "energy/figures10-12.svg",
    "figure11": "paper/figure11.svg",
}


def paper_page(results: Results) -> tuple[str, Mapping[str, PageTable]]:
    """Return the page as HTML, and its tables by name."""
    makers = (
        headline_table, *agreement.OF_PAGE, *build_tables.OF_PAGE, figure_tables.complexity_table,
        *cell_tables.OF_PAGE, *figure_tables.OF_PAGE, stated_table,
    )  # fmt: skip
    tables = {table.name: table for table in (make(results) for make in makers)}
    facts = Facts(results)
    data = {
        "tables": tables,
        "facts": facts,
        "says": findings(results, facts),
        "results": results,
        "pictures": {name: read_picture(results.folder / file) for name, file in _PICTURES.items()},
        "reasons": REASONS,
        "agrees": f"{AGREES:.0%}",
        "fitted_d": FITTED_D,
        "stated_d": STATED_D,
        "provenance": partial(_provenance, results),  # after the rest of the page
    }
    return render_html(Path(__file__).parent, "paper.html.j2", data), tables


def write_paper(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write ``paper.html`` and ``tables/*.tex``; the same results give the same bytes.

    Tables of more than 200 rows fit no paper: they are on the page and in CSV alone.
    """
    page, tables = paper_page(results)
    files = {"paper.html": page}
    files |= {
        f"tables/{name}.tex": table.latex()
        for name, table in tables.items()
        if len(table.rows) <= _MOST_LATEX_ROWS
    }
    return write_files(folder, files)


def _provenance(results: Results) -> PageTable:
    described, _ = read_sidecar("reports")

    def new_rows(file: str) -> Value:
        new = len(results.new_rows(file))
        return Value(f"{new} of {len(results.rows(file))}" if new else "0")

    columns = (
        PageColumn("table of results", shows=lambda file: Value(f"reports/{file}")),
        PageColumn("what", shows=lambda file: Value(described[file].what)),
        PageColumn("rebuilt by", shows=lambda file: Value("; ".join(described[file].commands))),
        PageColumn("SHA-256", shows=lambda file: Value(results.digest(file))),
        PageColumn("rows of this run", is_number=True, shows=new_rows),
    )
    caption = "Tables that this page shows, as committed; `gnomon explain` goes on from any cell"
    return PageTable.from_results("provenance", caption, columns, results.used)


QUICK_PARAMS = QUICK_KERNEL_SIZES = (4, 8)


def _shown(part: str, results: Results, cells: Cells | None = None) -> str:
    """Render a part of ``quick.txt.j2``: text for a terminal."""
    facts = {"part": part, "row": results.row, "cells": cells, "facts": Facts(results),
             "builds": partial(build_tables.error_ends, results)}  # fmt: skip
    return render_markdown(Path(__file__).parent, "quick.txt.j2", facts).rstrip("\n")


PARTS = ("cells", "builds", "figures", "page")

_QUICK = "Measurement of Disjoint d = 4, 8 and Figure 8, n = 4, 8 only; then the page."
_CELL = "One published cell to reproduce, such as table2/cortex-m4/std/d=8/cycles."
Part = Annotated[str, option("--part NAME,...", f"Parts to make: {', '.join(PARTS)}.")]
Size = Annotated[str, option("--size", "Size of the figures. small: seconds; full: as published.")]
OneCell = Annotated[str, option("--cell NAME", _CELL)]
Quick = Annotated[bool, option("--quick", _QUICK)]


def main(
    *,
    part: Part = "cells,builds,figures,page",
    size: Size = "full",
    cell: OneCell = "",
    quick: Quick = False,
    pages: Pages = False,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Measure and write.

    The page shows the tables of reports/; those in another --out folder are laid over them.
    """
    if cell:
        answer = cell_again(cell, Results(committed_reports()))
        print(json.dumps({"cell": cell, "readings": answer}) if as_json
              else "\n".join(cell_lines(cell, answer)))  # fmt: skip
        return
    out = out or default_out("paper")
    if quick:
        _quick(out, as_json=as_json)
        return
    if pages:
        folder = committed_reports()
        made = write_figures(read_figures(folder / "paper"), out)
        finish({}, [*made, *write_paper(Results(folder), out)], as_json=as_json)
        return
    parts = [
        require_known("part of the paper report", word.strip(), PARTS) for word in part.split(",")
    ]
    chosen = size_of(size, FIGURE_SIZES)
    # Before minutes of measuring, should they not be there.
    reports = committed_reports() if "page" in parts else None
    paths: list[Path] = []
    cells = None
    if "cells" in parts:
        with steps_progress("measuring cells") as progress:
            cells = run_cells(plan(), progress)
        folder = content("reports")
        has_rivals = (folder / "paper" / "rivals.csv").is_file()  # not in a wheel
        nearest = agreement.nearest_readings(Results(folder)) if has_rivals else {}
        paths += write_cells(cells, out, nearest)
    if "builds" in parts:
        with steps_progress("measuring builds") as progress:
            builds, rivals = run_builds(progress), run_rivals(progress)
        paths += write_files(
            out, {"builds.csv.xz": packed_csv(builds), "rivals.csv": csv_text(rivals)}
        )
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
    """Run all variants of both codes; write tables to ``out`` and lay them over committed ones."""
    reports = committed_reports()
    if out.resolve() == (reports / "paper").resolve():
        raise GnomonError(
            f"--quick makes a part of the tables, which would take the place of all of {out}; "
            "give another folder by --out"
        )
    if not as_json:  # a result within seconds; compiling the simulator takes longer
        print(_shown("headline", Results(reports)), flush=True)
    with steps_progress("measuring") as progress:
        cells = run_cells(plan((2,), QUICK_PARAMS), progress)
        kernels, _ = run_kernels(QUICK_KERNEL_SIZES, progress)
    if not as_json:
        print(_shown("measured", Results(reports), cells), flush=True)
    files = {"cells.csv": cells_csv(cells), "figure8.csv": csv_text(figure8_rows(kernels))}
    for figure in (9, 11):
        points = speedups(figure, cells_frame(cells))
        files[f"figure{figure}.csv"] = csv_text(speedup_rows(points))
    paths = [*write_files(out, files), *write_paper(Results(reports, out), out)]
    if as_json:
        finish({}, paths, as_json=True)
    else:
        print(f"the page: {out / 'paper.html'}")
