"""``gnomon report energy``: energy of the published cells, of instructions and of kernels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.options import Json  # noqa: TC001 - typer reads it
from gnomon.base.progress import steps_progress

DEFAULT_ENERGY_OUT = Path("reports/energy")
DEFAULT_PAPER = Path("reports/paper")

Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the files go.")]
Paper = Annotated[
    Path,
    typer.Option(
        "--paper",
        metavar="FOLDER",
        help="The paper's report, whose cells.csv gets the energy of the T13.",
    ),
]
Sources = Annotated[
    Path | None,
    typer.Option(
        "--sources",
        metavar="FOLDER",
        help="Write the points of the cells there, for gnomon power fit, and nothing else.",
    ),
]


def energy(
    *,
    out: Out = DEFAULT_ENERGY_OUT,
    paper: Paper = DEFAULT_PAPER,
    sources: Sources = None,
    as_json: Json = False,
) -> None:
    """Energy by instruction, kernel and learner; Tables 2 and 3 predicted from each other."""
    from gnomon.report.energy import fresh_cells, fresh_steps

    with steps_progress("measuring cells", fresh_steps()) as progress:
        cells = fresh_cells(progress)
    if sources is not None:
        from gnomon.report.energy import write_points

        paths = list(write_points(cells, sources))
    else:
        from gnomon.report.energy import energy_steps, run_energy, write_energy

        with steps_progress("measuring kernels", energy_steps()) as progress:
            study = run_energy(cells, progress)
        paths = list(write_energy(study, out, paper))
    if as_json:
        print(json.dumps({"files": [str(path) for path in paths]}))
        return
    for path in paths:
        print(path)
