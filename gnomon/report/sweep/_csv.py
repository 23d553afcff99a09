"""The points as a table: axes, whether all limits are kept, what was measured, why it was not."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.arch.keys import written

if TYPE_CHECKING:
    from gnomon.report.sweep._shown import Shown

_ALWAYS = ("wall_cycles", "time_us", "memory_bytes", "energy_uj", "area_luts")
_DIGITS = 6


def points_csv(shown: Shown) -> str:
    """One row per visited point, in order of the grid. ``summary.json`` and Parquet have more."""
    result = shown.result
    names = {metric.name for metric in shown.wanted} | set(_ALWAYS)
    metrics = [metric for metric in shown.metrics if metric.name in names]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ["point", *(axis.name for axis in result.sweep.axes), "keeps", "front", "recommended"]
        + [metric.name for metric in metrics]
        + ["failed"]
    )
    for row in result.rows:
        figures = (row.metric(metric) for metric in metrics)
        table.writerow(
            [row.index, *(written(value) for value in row.values)]
            + [_yes(result.meets(row)), _yes(row.index in shown.front)]
            + [_yes(row.index in shown.taken)]
            + ["" if value is None else _short(value) for value in figures]
            + [row.outcome.reason]
        )
    return text.getvalue()


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _short(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.{_DIGITS}g}"
