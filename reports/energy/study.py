"""``gnomon report energy``: energy of the published cells, of instructions and of kernels."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text, write_file, write_files
from gnomon.base.frames import worded
from gnomon.cli.study import Json, Out, option
from gnomon.content.reports.paper.cells_page import merged_cells
from gnomon.content.reports.paper.results import committed_reports
from gnomon.report.canvas import COLOURS, legend, panels, plain_ticks, size_axis
from gnomon.report.study import StudyReport, default_out, finish, steps_progress

from . import cells as t13
from .cross import EnergyStudy, run_energy
from .tables import energy_facts, kernels_rows, scalar_rows, vector_rows

_PAPER = "Folder of the paper's report; its cells.csv gets the energy of the T13."
_SOURCES = "Output folder of the cells' points for gnomon power fit; nothing else is written."
Paper = Annotated[Path | None, option("--paper FOLDER", _PAPER, shown="out/paper")]
Sources = Annotated[Path | None, option("--sources FOLDER", _SOURCES)]


def main(
    *, out: Out = None, paper: Paper = None, sources: Sources = None, as_json: Json = False
) -> None:
    """Measure, price and write."""
    with steps_progress("measuring cells") as progress:
        cells = t13.fresh_cells(progress)
    if sources is not None:
        activity, power = t13.activity_csv(cells), t13.power_csv(cells)
        files = {"t13-activity.csv": activity, "t13-power.csv": power}
        finish({}, write_files(sources, files), as_json=as_json)
        return
    with steps_progress("measuring kernels") as progress:
        study = run_energy(cells, progress)
    cells_of = paper or committed_reports() / "paper"
    report = energy_report(study, cells_of, paper or default_out("paper"))
    finish({}, report.write(out or default_out("energy")), as_json=as_json)


def energy_report(study: EnergyStudy, paper: Path, target: Path | None = None) -> StudyReport:
    """Return page, tables and pictures; the same study gives the same bytes.

    The cells of the other platforms in Figure 10 are read in ``cells.csv`` of the paper's report,
    in the folder ``paper``. The function first writes this table, with the time and energy lines of
    the T13, to the folder ``target`` (``paper``).

    Raises:
        GnomonError: if the table is missing or cannot be written.
    """
    table = paper / "cells.csv"
    if not table.is_file():
        raise GnomonError(f"{table}: is not there; `gnomon report paper` makes it")
    cells = merged_cells(read_text(table), t13.energy_rows(study.cells), t13.is_energy_row)
    factors = t13.energy_factors(study.cells, cells)
    tables = {
        "figures10-12": worded(factors, dict.fromkeys(t13.ENERGIES, ".4f")),
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


_STYLES = {
    ("t13", "opt"): (COLOURS[3], "o", "T13, opt"),
    ("cortex-m4", "opt"): (COLOURS[1], "s", "Cortex-M4, opt"),
    ("cortex-a72", "opt"): (COLOURS[2], "D", "Cortex-A72, opt"),
    ("t13", "std+vcu"): (COLOURS[4], "v", "T13, std+vcu"),
    ("t13", "opt+vcu"): (COLOURS[0], "^", "T13, opt+vcu"),
}
_LOOKS: dict[str, dict[str, Any]] = {
    "ours": {"linewidth": 1.2, "markersize": 7, "markerfacecolor": "none"},
    "published": {"linestyle": "none", "markersize": 3.5},
}
_VARIANTS = dict(zip(("std", "opt", "std+vcu", "opt+vcu"), "osD^", strict=True))
_TICKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def factors_figure(factors: pd.DataFrame) -> Figure:
    """Draw Figures 10 and 12: filled markers published, lines with hollow ones gnomon's."""
    figure, grid = panels(2, 2, size=(8.0, 6.6), sharex="col", sharey=True)
    of_panel: Any = factors.groupby(["figure", "table"])
    for (number, table), own in of_panel:
        row, column = int(number > 10), int(table == 3)
        axes, (algorithm, name) = grid[row][column], t13.TABLES[table]
        for kind, points in own.groupby(["platform", "variant"], sort=False):
            colour, marker, label = _STYLES[kind]
            for what, settings in _LOOKS.items():
                known = points.dropna(subset=what)
                if len(known):
                    axes.plot(known["param"].tolist(), known[what].tolist(), color=colour,
                              marker=marker, label=f"{label}: {what}", **settings)  # fmt: skip
        axes.set_title(f"{algorithm} (Figure {number}{'ab'[column]})")
        size_axis(axes, sorted(own["param"].unique()), name if row else "")
        axes.set_yscale("log")
        plain_ticks(axes.yaxis, _TICKS)
        axes.set_ylim(0.012, 1.3)
        grid[row][0].set_ylabel("energy over that of std")
    legend(figure, grid.flat, 3)
    return figure


def power_figure(cells: pd.DataFrame) -> Figure:
    """Draw published mean power over gnomon's activity, the data available for calibration."""
    figure, (row,) = panels(1, 2, size=(8.0, 3.6), sharex=True, sharey=True)
    for axes, (table, (algorithm, name)) in zip(row, t13.TABLES.items(), strict=True):
        for (variant, marker), colour in zip(_VARIANTS.items(), COLOURS, strict=False):
            own = cells[cells["table"].eq(table) & cells["variant"].eq(variant)]
            x, y = own["toggles"].tolist(), own["published_mw"].tolist()
            axes.plot(x, y, color=colour, marker=marker, linewidth=0.8, label=variant)
            axes.annotate(f"{name} = {own['param'].iloc[-1]}", (x[-1], y[-1]), fontsize=7,
                          xytext=(4, 3), textcoords="offset points")  # fmt: skip
        axes.set(title=f"Table {table}: {algorithm}", xlabel="our toggles per cycle")
        axes.margins(x=0.14, y=0.1)
    row[0].set_ylabel("published mean power, mW")
    legend(figure, row[0], 4)
    return figure


def kernels_figure(kernels: pd.DataFrame) -> Figure:
    """Draw the energy of each kernel with the vector unit over that of scalar code, by SIMD."""
    table: Any = kernels.pivot_table("energy_uj", "kernel", "simd", sort=False).dropna()
    over = table.drop(columns=0).div(table[0], axis=0)
    figure, ((axes,),) = panels(size=(8.0, 3.6))
    places = np.arange(len(over))
    for index, simd in enumerate(sorted(over.columns)):
        offset = (index - (len(over.columns) - 1) / 2) * 0.2
        axes.bar(places + offset, over[simd], 0.19, color=COLOURS[index + 1],
                 label=f"SIMD {simd}")  # fmt: skip
    axes.set_xticks(places, over.index.tolist(), rotation=25, ha="right")
    axes.set_ylabel("energy over that of scalar code")
    axes.grid(visible=False, axis="x")
    axes.legend(frameon=False, ncols=4)
    return figure
