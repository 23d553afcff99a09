"""``gnomon report``: pages and tables, made again from runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.options import Json  # noqa: TC001 - typer reads it
from gnomon.base.progress import steps_progress
from gnomon.cli._report_energy import energy
from gnomon.cli._report_learners import learners
from gnomon.cli._report_platforms import platforms
from gnomon.cli._report_sweep import sweep
from gnomon.cli._studies import Studies

report_app = typer.Typer(
    name="report", cls=Studies, help="Pages and tables, made again from runs.", no_args_is_help=True
)

PAPER_PARTS = ("cells", "figures", "page")
DEFAULT_PAPER_OUT = Path("reports/paper")

Part = Annotated[
    str, typer.Option("--part", metavar="NAME,...", help=f"Of: {', '.join(PAPER_PARTS)}.")
]
Size = Annotated[
    str, typer.Option("--size", help="Of the figures. small: seconds; full: as published.")
]
Quick = Annotated[
    bool,
    typer.Option(
        "--quick", help="Measure Disjoint d = 4, 8 and Figure 8, n = 4, 8; then make the page."
    ),
]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]


@report_app.callback()
def report() -> None:
    """Pages and tables, made again from runs."""


report_app.command()(energy)
report_app.command()(learners)
report_app.command()(platforms)
report_app.command()(sweep)


@report_app.command()
def paper(
    *,
    part: Part = "cells,figures,page",
    size: Size = "full",
    quick: Quick = False,
    out: Out = DEFAULT_PAPER_OUT,
    as_json: Json = False,
) -> None:
    """Tables and figures of the LinearUCB paper beside ours, and all of it as one HTML page.

    The page shows the tables of reports/; those in another --out folder are laid over them.
    """
    if quick:
        _paper_quick(out, as_json=as_json)
        return
    parts = [word.strip() for word in part.split(",")]
    for word in parts:
        if word not in PAPER_PARTS:
            raise GnomonError(
                f"the paper report has no part {word!r} (allowed: {', '.join(PAPER_PARTS)}"
                f"{did_you_mean(word, PAPER_PARTS)})"
            )

    from gnomon.report import cells_steps, run_cells, write_cells
    from gnomon.report.figures import figures_steps, find_figure_size, run_figures, write_figures

    chosen = find_figure_size(size)
    reports = None
    if "page" in parts:
        from gnomon.report.paper import committed_reports

        reports = committed_reports()  # before minutes of measuring, should it not be there
    paths: list[Path] = []
    cells = None
    if "cells" in parts:
        with steps_progress("measuring cells", cells_steps()) as progress:
            cells = run_cells(progress)
        paths += write_cells(cells, out)
    if "figures" in parts:
        shared = cells if chosen.name == "full" else None
        steps = figures_steps(chosen, with_cells=shared is None)
        with steps_progress("measuring figures", steps) as progress:
            figures = run_figures(chosen, progress, shared)
        paths += write_figures(figures, out)
    if reports is not None:
        from gnomon.report.paper import Results, write_paper

        is_own = out.resolve() == (reports / "paper").resolve()
        paths += write_paper(Results(reports, None if is_own else out), out)
    if as_json:
        print(json.dumps({"files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)


def _paper_quick(out: Path, *, as_json: bool) -> None:
    from gnomon.report.paper import (
        Results,
        committed_reports,
        headline_lines,
        measured_lines,
        quick_steps,
        run_quick,
        write_paper,
        write_quick,
    )

    reports = committed_reports()
    if out.resolve() == (reports / "paper").resolve():
        raise GnomonError(
            f"--quick makes a part of the tables, which would take the place of all of {out}; "
            "give another folder by --out"
        )
    if not as_json:  # a result within seconds; compiling the simulator takes longer
        print("\n".join(headline_lines(Results(reports))), flush=True)
        print("measuring d = 4 and 8, and kernels of 4 x 4 and 8 x 8:", flush=True)
    with steps_progress("measuring", quick_steps()) as progress:
        measured = run_quick(progress)
    if not as_json:
        print("\n".join(measured_lines(measured)), flush=True)
    paths = [*write_quick(measured, out), *write_paper(Results(reports, out), out)]
    if as_json:
        print(json.dumps({"files": [str(path) for path in paths]}))
        return
    print(f"the page: {out / 'paper.html'}")
