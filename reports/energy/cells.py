"""Tables 2 and 3 as measured points of power, and our activity at each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.base.files import write_files
from gnomon.base.frames import csv_text, frame
from gnomon.bench.learners import measure_learner
from gnomon.content.reports.paper.cells import (
    FITTED_D,
    HYBRID_MEMORY,
    PARAMS,
    READINGS,
    VECTOR_MACHINE,
    Cell,
    plan,
)
from gnomon.content.reports.paper.cells_file import COLUMNS
from gnomon.content.reports.paper.published import published_cells
from gnomon.cost.energy import activity_of, join_work, price_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from gnomon.content.reports.paper.cells import Planned
    from gnomon.cost.energy import Activity, Energy
    from gnomon.sim import Work

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
    def point(self) -> str:
        """Name of the measured point."""
        return _point(self.cell)

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


def cell_work(cell: Cell) -> Work:
    """Selection and update of a cell together."""
    return join_work(stage.work for stage in cell.run.stages)


def cell_activity(cell: Cell, data: str = FITTED_DATA) -> Activity:
    """Our activity of a cell."""
    architecture = load_architecture(_machine(cell))
    return activity_of(cell_work(cell), architecture, data=data)


def cell_energy(cell: Cell, power: str, data: str = FITTED_DATA) -> Energy:
    """Our energy of a cell by a power table."""
    return price_work(cell_work(cell), load_architecture(_machine(cell)), power=power, data=data)


def fresh_steps(params: Sequence[int] = PARAMS) -> int:
    """How many times ``progress`` is called."""
    return len(_planned(params))


def fresh_cells(
    progress: Callable[[str], None] = lambda _: None, params: Sequence[int] = PARAMS
) -> tuple[Cell, ...]:
    """The cells that have a published power, run on fresh models only, without details.

    Raises:
        CheckFailed: a run differs from the same C on this computer.
    """
    published = published_cells()
    cells = []
    for each in _planned(params):
        memory = [] if each.d is None else [HYBRID_MEMORY]
        architecture = load_architecture(each.machine, memory)
        run = measure_learner(each.learner, each.variant, architecture, each.sizes, details=False)
        cells.append(Cell(each.key, each.line, published[each.key], each.d, run, run))
        progress(f"table {each.key.table}, {each.key.variant}, {each.key.param}")
    return tuple(cells)


def _planned(params: Sequence[int]) -> list[Planned]:
    return [each for each in plan((2, 3), params, (FITTED_D,)) if each.line == "paper"]


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
        [_point(cell), *(f"{value:.4f}" for value in activity.per_cycle())]
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
        rows.append([_point(cell), f"{power_mw:.3f}", f"{rounding_mw:.3f}", energy_uj, time_us])
    return csv_text(frame(["point", "power_mw", "rounding_mw", "energy_uj", "time_us"], rows))


def write_points(cells: Sequence[Cell], folder: Path) -> tuple[Path, ...]:
    """Write activity and power of the cells; the same cells give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files = {"t13-activity.csv": activity_csv(cells), "t13-power.csv": power_csv(cells)}
    return write_files(folder, files)


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


def _point(cell: Cell) -> str:
    """Name of a measured point, such as ``table2/std/d4``."""
    key = cell.key
    return f"table{key.table}/{key.variant}/{key.param_name}{key.param}"


def _published_uj_us(cell: Cell) -> tuple[int, int]:
    published = published_cells()
    return (
        published[cell.key._replace(metric="energy")],
        published[cell.key._replace(metric="time")],
    )


def _machine(cell: Cell) -> str:
    return VECTOR_MACHINE if cell.is_vector else "t13"
