"""The files of the report."""

import json
from pathlib import Path

from gnomon.arch.keys import written
from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.explore import SweepResult
from gnomon.report.sweep._page import sweep_page
from gnomon.report.sweep._pictures import front_figure, sensitivity_figure
from gnomon.report.sweep._shown import Shown, show

_ALWAYS = ("wall_cycles", "time_us", "memory_bytes", "energy_uj", "area_luts")
_DIGITS = 6


def write_sweep_report(result: SweepResult, folder: Path, spec: str = "") -> tuple[Path, ...]:
    """Write page, table and pictures; the same sweep gives the same bytes.

    Args:
        result: a finished sweep.
        folder: where the files go, made if absent.
        spec: the text of the sweep file, for the page; its content as JSON if empty.

    Raises:
        GnomonError: a file cannot be written.
    """
    shown = show(result)
    text = spec or json.dumps(result.sweep.to_json(), indent=1)
    files: dict[str, Content] = {
        "index.html": sweep_page(shown, text),
        "points.csv": points_csv(shown),
    }
    if shown.measured.rows:
        files |= {"front": front_figure(shown), "sensitivity": sensitivity_figure(shown)}
    return write_files(folder, files)


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
            *(
                "yes" if each else "no"
                for each in (result.meets(row), row.index in shown.front, row.index in shown.taken)
            ),
            *(_short(row.metric(each)) for each in metrics),
            row.outcome.reason,
        ]
        for row in result.rows
    ]
    return csv_text(frame(["point", *axes, *told], rows))


def _short(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if float(value).is_integer() else f"{value:.{_DIGITS}g}"
