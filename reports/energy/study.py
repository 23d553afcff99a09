"""``gnomon report energy``: energy of the published cells, of instructions and of kernels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text, write_file, write_files
from gnomon.base.frames import worded
from gnomon.base.options import option
from gnomon.content.reports.paper.cells_page import merged_cells
from gnomon.content.reports.paper.results import committed_reports
from gnomon.report.study import Json, Out, StudyReport, default_out, finish, steps_progress

from .cells import (
    ENERGIES,
    activity_csv,
    energy_factors,
    energy_rows,
    fresh_cells,
    is_energy_row,
    power_csv,
)
from .cross import EnergyStudy, run_energy
from .pictures import factors_figure, kernels_figure, power_figure
from .tables import energy_facts, kernels_rows, scalar_rows, vector_rows

_PAPER = "The paper's report, whose cells.csv gets the energy of the T13."
_SOURCES = "Write the points of the cells there, for gnomon power fit, and nothing else."
Paper = Annotated[Path | None, option("--paper FOLDER", _PAPER, "out/paper")]
Sources = Annotated[Path | None, option("--sources FOLDER", _SOURCES)]


def main(
    *, out: Out = None, paper: Paper = None, sources: Sources = None, as_json: Json = False
) -> None:
    """Measure, price and write."""
    with steps_progress("measuring cells") as progress:
        cells = fresh_cells(progress)
    if sources is not None:
        files = {"t13-activity.csv": activity_csv(cells), "t13-power.csv": power_csv(cells)}
        finish({}, write_files(sources, files), as_json=as_json)
        return
    with steps_progress("measuring kernels") as progress:
        study = run_energy(cells, progress)
    cells_of = paper or committed_reports() / "paper"
    report = energy_report(study, cells_of, paper or default_out("paper"))
    finish({}, report.write(out or default_out("energy")), as_json=as_json)


def energy_report(study: EnergyStudy, paper: Path, target: Path | None = None) -> StudyReport:
    """Page, tables and pictures; the same study gives the same bytes.

    The cells of the other platforms in Figure 10 are read in ``cells.csv`` of the paper's report,
    in the folder ``paper``. With the time and energy lines of the T13 this table goes to the folder
    ``target`` (``paper``) before.

    Raises:
        GnomonError: it is not there, or cannot be written.
    """
    table = paper / "cells.csv"
    if not table.is_file():
        raise GnomonError(f"{table}: is not there; `gnomon report paper` makes it")
    cells = merged_cells(read_text(table), energy_rows(study.cells), is_energy_row)
    factors = energy_factors(study.cells, cells)
    tables = {
        "figures10-12": worded(factors, dict.fromkeys(ENERGIES, ".4f")),
        "instructions": scalar_rows(study.scalar),
        "vector-instructions": vector_rows(study.vector),
        "kernels": kernels_rows(study.kernels),
    }
    figures = {
        "figures10-12": partial(factors_figure, factors),
        "power": partial(power_figure, study.cells),
        "kernels": partial(kernels_figure, study.kernels),
    }
    facts = energy_facts(study, factors)
    return StudyReport(
        Path(__file__).parent, "energy", facts, tables, figures,
        written=(write_file((target or paper) / "cells.csv", cells.encode()),),
    )  # fmt: skip
