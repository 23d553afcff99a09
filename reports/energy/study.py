"""``gnomon report energy``: energy of the published cells, of instructions and of kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.files import Content, read_text, write_file, write_files
from gnomon.base.frames import csv_text
from gnomon.content.reports.paper.cells_page import merged_cells
from gnomon.content.reports.paper.results import committed_reports
from gnomon.report.study import Json, Out, default_out, finish, steps_progress

from .cells import (
    activity_csv,
    energy_rows,
    fresh_cells,
    is_energy_row,
    power_csv,
)
from .cross import EnergyStudy, run_energy
from .factors import energy_factors, factors_rows
from .pictures import factors_figure, kernels_figure, power_figure
from .tables import energy_page, kernels_rows, scalar_rows, vector_rows

Paper = Annotated[
    Path | None,
    typer.Option(
        "--paper",
        metavar="FOLDER",
        show_default="out/paper",
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
    with steps_progress("measuring cells") as progress:
        cells = fresh_cells(progress)
    if sources is not None:
        files = {"t13-activity.csv": activity_csv(cells), "t13-power.csv": power_csv(cells)}
        paths = write_files(sources, files)
    else:
        with steps_progress("measuring kernels") as progress:
            study = run_energy(cells, progress)
        cells_of = paper or committed_reports() / "paper"
        paths = write_energy(
            study, out or default_out("energy"), cells_of, paper or default_out("paper")
        )
    finish({}, paths, as_json=as_json)


def write_energy(
    study: EnergyStudy, folder: Path, paper: Path, target: Path | None = None
) -> tuple[Path, ...]:
    """Write page, tables and pictures; the same study gives the same bytes.

    Args:
        study: what to show.
        folder: where the page goes.
        paper: folder of the paper's report; the cells of the other platforms in Figure 10 are
            read in its ``cells.csv``.
        target: where that table goes with the time and energy lines of the T13 (``paper``).
    """
    table = paper / "cells.csv"
    if not table.is_file():
        raise GnomonError(f"{table}: is not there; `gnomon report paper` makes it")
    cells = merged_cells(read_text(table), energy_rows(study.cells), is_energy_row)
    factors = energy_factors(study.cells, cells)
    files: dict[str, Content] = {
        "energy.md": energy_page(study, factors),
        "figures10-12.csv": csv_text(factors_rows(factors)),
        "instructions.csv": csv_text(scalar_rows(study.scalar)),
        "vector-instructions.csv": csv_text(vector_rows(study.vector)),
        "kernels.csv": csv_text(kernels_rows(study.kernels)),
        "figures10-12": factors_figure(factors),
        "power": power_figure(study.cells),
        "kernels": kernels_figure(study.kernels),
    }
    return (
        write_file((target or paper) / "cells.csv", cells.encode()),
        *write_files(folder, files),
    )
