"""Files of the report: one HTML page with its text, data, style and script; a table."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.arch.keys import written
from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.explore import (
    SweepResult,
    compute_sensitivities,
    find_same_binaries,
    list_sensitivity_notes,
)
from gnomon.explore.columns import find_meeting
from gnomon.explore.files import MOST_IN_CSV, PARQUET
from gnomon.report.page import render_html
from gnomon.report.sweep._pictures import front_figure, sensitivity_figure
from gnomon.report.sweep._shown import (
    Shown,
    colours,
    held_step,
    named,
    select_shown,
    word,
)

_MOST_REASONS = 5  # failures that are shown without a click
_DIGITS = 7  # more than the page shows


def render_sweep_page(shown: Shown, spec: str) -> str:
    """Return the page of a sweep as text, ready to be displayed."""
    result, measured = shown.result, shown.measured
    failed, unknown = Counter(result.failures), Counter[tuple[str, str]]()
    for notes, count in measured.tally(lambda each: tuple(each.notes.items())).items():
        for note in notes:
            unknown[note] += count
    objectives = [each.metric for each in result.sweep.objectives]
    return render_html(
        Path(__file__).parent,
        "sweep.html.j2",
        {
            "sweep": result.sweep,
            "ran": _what_ran(shown),
            "visited": len(result.rows),
            "measured": len(measured),
            "held": len(shown.held.rows),
            "every": held_step(result.sweep, len(measured)),
            "fronts": len(shown.front),
            "held_of_fronts": sum(row.index in shown.front for row in shown.held.rows),
            "all_points": list_all_points(result),
            "failed": sum(failed.values()),
            "taken": shown.recommended,
            "bars": [
                (
                    word(metric),
                    compute_sensitivities(result, metric),
                    list_sensitivity_notes(result, metric),
                )
                for metric in objectives
            ],
            "same": [each.sentence for each in find_same_binaries(result)],
            "reasons": failed.most_common(),
            "most_reasons": _MOST_REASONS,
            "not_known": [*unknown.most_common(), *_unranked(shown)],
            "energies": tuple(measured.technology[0]),
            # compilers and their flags, without parts that differ by machine
            "builds": sorted(measured.tally(lambda each: each.facts.get("build"))),
            "regret": any(metric.word == "regret" for metric in shown.metrics),
            "spec": spec,
            "data": page_data(shown),
        },
    )


def list_all_points(result: SweepResult) -> str:
    """Return the file that has all points: a table of the report, or of ``gnomon sweep``."""
    return _POINTS if len(result.rows) <= MOST_IN_CSV else f"{PARQUET} of `gnomon sweep`"


def _what_ran(shown: Shown) -> str:
    """Return the settings that all points share."""
    sweep = shown.result.sweep
    fixed = [f"{name} {written(value)}" for name, value in sweep.fixed]
    single = [f"{a.name} {written(a.values[0])}" for a in sweep.axes if len(a.values) == 1]
    machine = [] if any(axis.name == "arch" for axis in sweep.axes) else [f"machine {sweep.arch}"]
    return ", ".join([*fixed, *single, *machine])


def page_data(shown: Shown) -> dict[str, Any]:
    """Return the points in the form of the page's script: by column, figures rounded."""
    sweep = shown.result.sweep
    rows = shown.held.rows
    colour = shown.colouring()
    return {
        "points": [row.index for row in rows],
        "axes": [
            {
                "name": sweep.axes[place].name,
                "values": [written(value) for value in sweep.axes[place].values],
                "colours": colours(len(sweep.axes[place].values)),
                "named": named(len(sweep.axes[place].values)),
                "of": _places(shown, place),
                "per": sweep.axes[place].name in sweep.per,
            }
            for place in shown.axes
        ]
        + _technologies(shown),
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


def _technologies(shown: Shown) -> list[dict[str, Any]]:
    """Return kind and library of the energies as an axis of ``per``, if points differ in it."""
    found = shown.measured.technology[0]
    if len(found) < 2 or not shown.energies:
        return []
    names = [*found, "not known"]
    return [
        {
            "name": "energy of",
            "values": names,
            "colours": colours(len(names)),
            "named": named(len(names)),
            "of": [names.index(row.technology or names[-1]) for row in shown.held.rows],
            "per": True,
        }
    ]


def _unranked(shown: Shown) -> list[tuple[tuple[str, str], int]]:
    """Return the reason why the page has no energies, as an unknown axis, if it has none."""
    found = shown.measured.technology[0]
    if shown.energies or not found:
        return []
    why = (
        "the sweep does not rank it, and points differ in kind or library, which points.csv names: "
    )
    count = int((shown.measured.technology[1] >= 0).sum())
    return [(("energy on this page", why + "; ".join(found)), count)]


def _places(shown: Shown, place: int) -> list[int]:
    # Not values.index: True is 1 there.
    values = shown.result.sweep.axes[place].values
    at = {written(value): number for number, value in enumerate(values)}
    return [at[written(row.values[place])] for row in shown.held.rows]


def _rounded(value: float | None) -> float | int | None:
    if value is None:
        return None
    short = float(f"{value:.{_DIGITS}g}")
    return int(short) if short.is_integer() else short


_POINTS = "points.csv"
_ALWAYS = ("wall_cycles", "time_us", "memory_bytes", "energy_uj", "area_luts")
_DIGITS_OF_TABLE = 6


def write_sweep_report(result: SweepResult, folder: Path, spec: str = "") -> tuple[Path, ...]:
    """Write page, table and pictures; the same sweep gives the same bytes.

    Args:
        result: a finished sweep.
        folder: where the files go, made if absent.
        spec: the text of the sweep file, for the page; its content as JSON if empty.

    Raises:
        GnomonError: if a file cannot be written.
    """
    shown = select_shown(result)
    text = spec or json.dumps(result.sweep.to_json(), indent=1)
    files: dict[str, Content] = {"index.html": render_sweep_page(shown, text)}
    if len(result.rows) <= MOST_IN_CSV:
        files[_POINTS] = points_csv(shown)
    if len(shown.measured):
        files |= {"front": front_figure(shown), "sensitivity": sensitivity_figure(shown)}
    return write_files(folder, files)


def points_csv(shown: Shown) -> str:
    """Return one row per visited point, in grid order. ``summary.json`` and Parquet have more."""
    result, points = shown.result, shown.result.points
    names = {metric.name for metric in shown.wanted} | set(_ALWAYS)
    metrics = [metric for metric in shown.metrics if metric.name in names]
    energy = [name for name in ("energy_kind", "energy_library") if result.technologies]
    columns: dict[str, list[Any]] = {"point": points.numbers.tolist()}
    for place, axis in enumerate(result.sweep.axes):
        texts = np.array([written(value) for value in axis.values], object)
        columns[axis.name] = texts[points.places(place)].tolist()
    for name, chosen in (
        ("keeps", find_meeting(points)),
        ("front", np.isin(points.numbers, sorted(shown.front))),
        ("recommended", np.isin(points.numbers, shown.taken)),
    ):
        columns[name] = ["yes" if each else "no" for each in chosen.tolist()]
    for metric in metrics:
        columns[metric.name] = [_short(value) for value in points.column(metric).tolist()]
    for name in energy:
        columns[name] = points.told(lambda each, name=name: each.facts.get(name, "")).tolist()
    columns["failed"] = points.told(lambda each: each.reason).tolist()
    return csv_text(frame([*columns], zip(*columns.values(), strict=True)))


def _short(value: float) -> str:
    if math.isnan(value):
        return ""
    return str(int(value)) if float(value).is_integer() else f"{value:.{_DIGITS_OF_TABLE}g}"
