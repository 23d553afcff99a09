"""``gnomon report``: pages and tables, made again from runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.cli._options import Json  # noqa: TC001 - typer reads it
from gnomon.cli._progress import steps_progress
from gnomon.errors import GnomonError, did_you_mean

report_app = typer.Typer(
    name="report", help="Pages and tables, made again from runs.", no_args_is_help=True
)

PAPER_PARTS = ("cells",)
DEFAULT_PAPER_OUT = Path("reports/paper")

Part = Annotated[
    str, typer.Option("--part", metavar="NAME,...", help=f"Of: {', '.join(PAPER_PARTS)}.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]


@report_app.callback()
def report() -> None:
    """Pages and tables, made again from runs."""


@report_app.command()
def paper(*, part: Part = "cells", out: Out = DEFAULT_PAPER_OUT, as_json: Json = False) -> None:
    """Tables and figures of the LinearUCB paper beside ours."""
    parts = [word.strip() for word in part.split(",")]
    for word in parts:
        if word not in PAPER_PARTS:
            raise GnomonError(
                f"the paper report has no part {word!r} (allowed: {', '.join(PAPER_PARTS)}"
                f"{did_you_mean(word, PAPER_PARTS)})"
            )

    from gnomon.report import cells_steps, run_cells, write_cells

    with steps_progress("measuring", cells_steps()) as progress:
        cells = run_cells(progress)
    paths = write_cells(cells, out)
    if as_json:
        print(json.dumps({"files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)
