"""The platform cells as lines of ``cells.csv``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.units import format_size
from gnomon.content.reports.paper.cells import FITTED_D
from gnomon.content.reports.paper.cells_file import COLUMNS

from .cells import METRICS, PLATFORM_READINGS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .cells import PlatformCell, PlatformFit

NOT_FITTING = "does not fit"


def platform_rows(fits: Iterable[PlatformFit]) -> list[dict[str, str]]:
    """One line per cell, metric and reading; cells that do not fit say so instead of a figure."""
    return [
        _row(cell, metric, reading)
        for fit in fits
        for metric in METRICS
        for cell in fit.cells
        for reading in PLATFORM_READINGS
    ]


def _row(cell: PlatformCell, metric: str, reading: str) -> dict[str, str]:
    digits = 0 if metric == "cycles" else 1
    ours = f"{cell.ours(metric, reading):.{digits}f}" if cell.fits else NOT_FITTING
    published = cell.published.get(metric)
    ratio = f"{float(ours) / published:.4f}" if published and cell.fits else ""
    key = cell.key
    values = (
        *(key.table, key.algorithm, key.platform, key.variant, key.param_name, key.param),
        *(metric, METRICS[metric], "paper", reading),
        *("N.A." if published is None else published, ours, ratio, _note(cell, metric, reading)),
    )
    return dict(zip(COLUMNS, (str(value) for value in values), strict=True))


def _note(cell: PlatformCell, metric: str, reading: str) -> str:
    platform = cell.platform
    parts = [f"d = {FITTED_D}"] if cell.key.table == 3 else []
    if not cell.fits:
        needed = f"{cell.counted.static_bytes:,} static + {cell.counted.stack_bytes:,} stack bytes"
        return "; ".join([*parts, f"needs {needed}, more than {format_size(platform.memory)}"])
    if reading == "left-out":
        parts.append(f"documented cycles times {cell.factor:.3f}, fitted to the other sizes")
    else:
        share = cell.documented * (1 / cell.documented.value)
        interval = f"from {share.low:.2f} to {share.high:.2f} times that"
        parts.append(f"documented cycles, nothing fitted; {interval}")
    if metric == "energy":
        parts.append(f"{platform.power_mw:g} mW times time, so in error as the cycles are")
    parts.append(f"counted at {cell.counted.build}")
    return "; ".join(parts)
