"""The page: one HTML file with its data, style and script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.report.page import render_html
from gnomon.report.sweep._data import page_data
from gnomon.report.sweep._words import (
    bars,
    builds,
    not_known,
    reasons,
    recommendations,
    what_ran,
)

if TYPE_CHECKING:
    from gnomon.report.sweep._shown import Shown

_MOST_REASONS = 5  # of failures that are shown without a click


def sweep_page(shown: Shown, spec: str) -> str:
    """The page as text.

    Args:
        shown: the sweep.
        spec: its file, shown as it is.
    """
    result = shown.result
    return render_html(
        Path(__file__).parent,
        "sweep.html.j2",
        {
            "sweep": result.sweep,
            "ran": what_ran(shown),
            "visited": len(result.rows),
            "measured": len(shown.measured),
            "held": len(shown.rows),
            "failed": len(result.failed),
            "taken": recommendations(shown),
            "bars": bars(shown),
            "reasons": reasons(shown),
            "most_reasons": _MOST_REASONS,
            "not_known": not_known(shown),
            "builds": builds(shown),
            "regret": any(metric.word == "regret" for metric in shown.metrics),
            "spec": spec,
            "data": page_data(shown),
        },
    )
