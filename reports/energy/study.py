"""``gnomon report energy``: energy of the published cells, of instructions and of kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gnomon.report.study import Json, Out, default_out, finish, steps_progress

from .cells import fresh_cells, fresh_steps
from .files import write_energy
from .measure import energy_steps, run_energy
from .points import write_points

Paper = Annotated[
    Path | None,
    typer.Option(
        "--paper",
        metavar="FOLDER",
        show_default="reports/paper",
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


def main(
    *, out: Out = None, paper: Paper = None, sources: Sources = None, as_json: Json = False
) -> None:
    """Measure, price and write."""
    with steps_progress("measuring cells", fresh_steps()) as progress:
        cells = fresh_cells(progress)
    if sources is not None:
        paths = write_points(cells, sources)
    else:
        with steps_progress("measuring kernels", energy_steps()) as progress:
            study = run_energy(cells, progress)
        paths = write_energy(study, out or default_out("energy"), paper or default_out("paper"))
    finish({}, paths, as_json=as_json)
