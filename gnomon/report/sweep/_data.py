"""The points of a sweep as the script of the page reads them: by column, figures rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.arch.keys import written
from gnomon.report.sweep._palette import colours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.explore import Metric, Row
    from gnomon.report.sweep._shown import Shown

_DIGITS = 7  # more than the page shows


def page_data(shown: Shown) -> dict[str, Any]:
    """Plain data for the script of the page."""
    sweep = shown.result.sweep
    rows = shown.rows
    colour = shown.colouring()
    return {
        "points": [row.index for row in rows],
        "axes": [
            {
                "name": sweep.axes[place].name,
                "values": [written(value) for value in sweep.axes[place].values],
                "colours": colours(len(sweep.axes[place].values)),
                "of": _places(rows, place, sweep.axes[place].values),
                "per": sweep.axes[place].name in sweep.per,
            }
            for place in shown.axes
        ],
        "metrics": [
            {
                "name": metric.name,
                "word": word(metric),
                "unit": metric.unit,
                "meaning": metric.meaning,
                "values": [_rounded(row.metric(metric)) for row in rows],
            }
            for metric in shown.metrics
        ],
        "wanted": [metric.name for metric in shown.wanted],
        "limits": [
            {
                "metric": limit.metric.name,
                "most": limit.at_most,
                "limit": limit.limit,
                "text": limit.text,
            }
            for limit in sweep.constraints
        ],
        "most": [each.metric.name for each in sweep.objectives if not each.minimize],
        "meets": [shown.result.meets(row) for row in rows],
        "front": [row.index in shown.front for row in rows],
        "taken": list(shown.taken),
        "x": shown.horizontal().name,
        "y": shown.vertical().name,
        "colour": "" if colour is None else sweep.axes[colour].name,
    }


def word(metric: Metric) -> str:
    """The name of a metric for readers; its unit stands with the figures."""
    text = metric.word.replace("_", " ")
    return text if metric.unit == "cycles" else text.removesuffix(" cycles")


def _places(rows: Sequence[Row], place: int, values: Sequence[Any]) -> list[int]:
    # Not values.index: True is 1 there.
    at = {written(value): number for number, value in enumerate(values)}
    return [at[written(row.values[place])] for row in rows]


def _rounded(value: float | None) -> float | int | None:
    if value is None:
        return None
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() else short
