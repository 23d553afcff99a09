"""Time and energy of the T13 cells as lines of ``cells.csv``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.content.reports.paper.cells import READINGS
from gnomon.content.reports.paper.cells_text import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cells import EnergyCell

METRICS = {"time": "us", "energy": "uJ"}


def energy_rows(cells: Sequence[EnergyCell]) -> list[dict[str, str]]:
    """One line per cell, metric and reading."""
    return [
        _row(cell, metric, reading) for metric in METRICS for cell in cells for reading in READINGS
    ]


def is_energy_row(row: dict[str, str]) -> bool:
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
