"""The points as a table: axes, whether all limits are kept, what was measured, why it was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch.keys import written
from gnomon.base.frames import csv_text, frame

if TYPE_CHECKING:
    from gnomon.report.sweep._shown import Shown

_ALWAYS = ("wall_cycles", "time_us", "memory_bytes", "energy_uj", "area_luts")
_DIGITS = 6


def points_csv(shown: Shown) -> str:
    """One row per visited point, in order of the grid. ``summary.json`` and Parquet have more."""
    result = shown.result
    names = {metric.name for metric in shown.wanted} | set(_ALWAYS)
    metrics = [metric for metric in shown.metrics if metric.name in names]
    axes = [axis.name for axis in result.sweep.axes]
    told = ["keeps", "front", "recommended", *(metric.name for metric in metrics), "failed"]
    rows = [
        [
            row.index,
            *(written(value) for value in row.values),
            _yes(result.meets(row)),
            _yes(row.index in shown.front),
            _yes(row.index in shown.taken),
            *("" if (value := row.metric(each)) is None else _short(value) for each in metrics),
            row.outcome.reason,
        ]
        for row in result.rows
    ]
    return csv_text(frame(["point", *axes, *told], rows))


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _short(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.{_DIGITS}g}"
