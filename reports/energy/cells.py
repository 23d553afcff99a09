"""Tables 2 and 3 as measured points of power, and our activity at each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.frames import csv_text, frame
from gnomon.content.reports.paper.cells import (
    FITTED_D,
    PARAMS,
    READINGS,
    Cell,
    plan,
)
from gnomon.content.reports.paper.cells_file import COLUMNS
from gnomon.content.reports.paper.published import published_cells
from gnomon.cost.energy import Activity, Energy
from gnomon.report.study import Steps
from gnomon.sim import Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FITTED_DATA = "sparse"
"""Operand values of the cells: a fresh model and a zero context, mostly zeros."""

TABLE_OF = {2: "t13-table2", 3: "t13-table3"}
"""Power table fitted to each published table alone."""

OTHER = {2: 3, 3: 2}
METRICS = {"time": "us", "energy": "uJ"}


@dataclass(frozen=True, slots=True)
class EnergyCell:
    """One cell of energy: published, and ours as predicted from the other table alone."""

    cell: Cell
    published_uj: int
    published_us: int
    energy: Energy

    @property
    def published_mw(self) -> float:
        """Mean power: printed energy over printed time."""
        return self.published_uj / self.published_us * 1e3

    @property
    def rounding_mw(self) -> float:
        """Half-width of what printing whole µJ and µs leaves open."""
        return self.published_mw * (0.5 / self.published_uj + 0.5 / self.published_us)

    def ours_us(self, reading: str) -> float:
        """Our time in one reading."""
        return self.cell.ours(reading) * 1e6 / self.energy.clock_hz

    def ours_uj(self, reading: str) -> float:
        """Our energy in one reading: predicted mean power times our time."""
        return self.energy.power_mw.value * self.ours_us(reading) * 1e-3

    def time_ratio(self, reading: str) -> float:
        """Ours over the published time: the cycle part of the ratio of energies."""
        return self.ours_us(reading) / self.published_us

    @property
    def power_ratio(self) -> float:
        """Ours over the published mean power: the power part of the ratio of energies."""
        return self.energy.power_mw.value / self.published_mw


def cell_activity(cell: Cell, data: str = FITTED_DATA) -> Activity:
    """Our activity of a cell."""
    return Activity.of(_work(cell), cell.architecture, data=data)


def cell_energy(cell: Cell, power: str, data: str = FITTED_DATA) -> Energy:
    """Our energy of a cell by a power table."""
    return Energy.of(_work(cell), cell.architecture, power=power, data=data)


def _work(cell: Cell) -> Work:
    """Selection and update together."""
    return Work.joined(stage.work for stage in cell.run.stages)


def fresh_cells(progress: Steps | None = None, params: Sequence[int] = PARAMS) -> tuple[Cell, ...]:
    """The cells that have a published power, run on fresh models only, without details.

    Raises:
        CheckFailed: a run differs from the same C on this computer.
    """
    planned = [each for each in plan((2, 3), params, (FITTED_D,)) if each.line == "paper"]
    cells = []
    for each in (progress or Steps()).over(planned, lambda each: each.title):
        run = each.measure()
        cells.append(Cell(each.key, each.line, published_cells()[each.key], each.d, run, run))
    return tuple(cells)


def energy_cells(cells: Iterable[Cell]) -> tuple[EnergyCell, ...]:
    """Price cells of the paper line, each by the table that was not fitted to it."""
    return tuple(
        EnergyCell(
            cell, *_published_uj_us(cell), cell_energy(cell, TABLE_OF[OTHER[cell.key.table]])
        )
        for cell in cells
        if cell.line == "paper" and cell.d in (None, FITTED_D)
    )


def activity_csv(cells: Sequence[Cell]) -> str:
    """Toggles per cycle by unit and point, the input of ``gnomon power fit``."""
    activities = [cell_activity(cell) for cell in cells]
    rows = [
        [point_of(cell), *(f"{value:.4f}" for value in activity.per_cycle())]
        for cell, activity in zip(cells, activities, strict=True)
    ]
    return csv_text(frame(["point", *activities[0].units], rows))


def power_csv(cells: Iterable[Cell]) -> str:
    """Published mean power by point, the other input of ``gnomon power fit``."""
    rows = []
    for cell in cells:
        energy_uj, time_us = _published_uj_us(cell)
        power_mw = energy_uj / time_us * 1e3
        rounding_mw = power_mw * (0.5 / energy_uj + 0.5 / time_us)
        rows.append([point_of(cell), f"{power_mw:.3f}", f"{rounding_mw:.3f}", energy_uj, time_us])
    return csv_text(frame(["point", "power_mw", "rounding_mw", "energy_uj", "time_us"], rows))


def energy_rows(cells: Sequence[EnergyCell]) -> list[dict[str, str]]:
    """Time and energy as lines of ``cells.csv``, one per cell, metric and reading."""
    return [
        _row(cell, metric, reading) for metric in METRICS for cell in cells for reading in READINGS
    ]


def is_energy_row(row: Mapping[str, str]) -> bool:
    """Whether a line of ``cells.csv`` is one of these."""
    return row["platform"] == "t13" and row["metric"] in METRICS


def _row(cell: EnergyCell, metric: str, reading: str) -> dict[str, str]:
    published = cell.published_us if metric == "time" else cell.published_uj
    ours = cell.ours_us(reading) if metric == "time" else cell.ours_uj(reading)
    key = cell.cell.key
    values = (
        *(key.table, key.algorithm, key.platform, key.variant, key.param_name, key.param),
        *(metric, METRICS[metric], cell.cell.line, reading),
        *(published, f"{ours:.1f}", f"{ours / published:.4f}", _note(cell, metric, reading)),
    )
    return dict(zip(COLUMNS, (str(value) for value in values), strict=True))


def _note(cell: EnergyCell, metric: str, reading: str) -> str:
    stated = "" if cell.cell.d is None else f"d = {cell.cell.d}; "
    if metric == "time":
        return f"{stated}cycles at 100 MHz"
    energy = cell.energy
    power = energy.power_mw
    flag = "; activity outside that of the fit" if energy.extrapolated else ""
    return (
        f"{stated}dynamic power {power.value:.1f} mW ({power.low:.1f} to {power.high:.1f})"
        f" predicted by {energy.table}, which has not seen this table; published"
        f" {cell.published_mw:.1f} mW; ratio = time {cell.time_ratio(reading):.4f} x power"
        f" {cell.power_ratio:.4f}{flag}"
    )


def point_of(cell: Cell) -> str:
    """Name of a measured point, such as ``table2/std/d4``."""
    key = cell.key
    return f"table{key.table}/{key.variant}/{key.param_name}{key.param}"


def _published_uj_us(cell: Cell) -> tuple[int, int]:
    energy, time = (
        published_cells()[cell.key._replace(metric=metric)] for metric in ("energy", "time")
    )
    return energy, time
