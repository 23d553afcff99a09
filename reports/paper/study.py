"""``gnomon report paper``: the LinearUCB paper made again, next to the published numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.base.errors import GnomonError, known
from gnomon.report.study import Json, Out, Pages, default_out, finish, size_of, steps_progress

from .cells import plan, run_cells
from .cells_page import write_cells
from .figures import FIGURE_SIZES, read_figures, run_figures
from .figures_page import write_figures
from .page import write_paper
from .quick import headline_lines, measured_lines, run_quick, write_quick
from .results import Results, committed_reports

if TYPE_CHECKING:
    from pathlib import Path

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
