"""Sensitivity: how much each axis moves a metric."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gnomon.arch.keys import written
from gnomon.cost.energy import FPGA_CALIBRATED
from gnomon.explore._result import SweepResult
from gnomon.explore.metrics import ENERGY_COLUMNS, Metric
from gnomon.explore.settings import Value


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Effect of one axis on one metric."""

    axis: str  # its name
    metric: Metric  # the metric
    # Share of the variance of the metric's logarithm that the means at the axis values explain: 0 =
    # none, 1 = all. Shares of several axes may sum to less than 1 because of joint effects. If
    # points are missing, a share would include effects of other axes and is unavailable. Points
    # with different values of the axes in `Sweep.per` are not compared.
    share: float | None
    # Largest over smallest metric along this axis, all other axes fixed; the geometric mean over
    # all lines with at least two points. 1 = no effect. Unavailable without such a line.
    factor: float | None
    most: float | None  # largest factor of a line
    lines: int  # number of such lines
    unknown: tuple[Value, ...]  # values at which the metric is unavailable, or is 0, at any point
    # number of points without the metric, of all combinations of values at which it is available
    missing: int

    def to_json(self) -> dict[str, Any]:
        """Return the sensitivity as JSON-compatible data."""
        return asdict(self) | {
            "metric": self.metric.name,
            "unknown": [*map(written, self.unknown)],
        }


_ONE_CLOCK = (
    "FPGA-calibrated tables have one clock power for all machines, with any number of lanes or"
    " without a vector unit: what more lanes take in every cycle is not in {}"
)


def compute_sensitivities(result: SweepResult, metric: Metric) -> tuple[Sensitivity, ...]:
    """Return the effect of every axis with two values or more on a metric, the strongest first.

    Points without the metric, or with the value 0, are excluded.
    """
    # Energies of different kinds or libraries are not compared, like points of an axis in `per`.
    of_energy = metric.name in ENERGY_COLUMNS
    points = [
        ((*row.values, row.technology if of_energy else ""), math.log(value))
        for row in result.rows
        if not row.failed and (value := row.metric(metric)) is not None and value > 0
    ]
    if not points:
        return ()
    scene_of = [at for at, axis in enumerate(result.sweep.axes) if axis.name in result.sweep.per]
    scene_of.append(len(result.sweep.axes))
    scenes: dict[Any, list[float]] = {}
    for values, log in points:
        scenes.setdefault(tuple(values[at] for at in scene_of), []).append(log)
    means = {scene: float(np.mean(logs)) for scene, logs in scenes.items()}
    points = [(values, log - means[tuple(values[at] for at in scene_of)]) for values, log in points]
    total = sum(log**2 for _, log in points)
    known = [{values[place] for values, _ in points} for place in range(len(result.sweep.axes))]
    missing = math.prod(map(len, known)) - len(points)
    found = []
    for place, axis in enumerate(result.sweep.axes):
        if len(axis.values) < 2 or place in scene_of:
            continue
        groups: dict[Any, list[float]] = {}
        lines: dict[Any, list[float]] = {}
        for values, log in points:
            scene = tuple(values[at] for at in scene_of)
            groups.setdefault((scene, values[place]), []).append(log)
            lines.setdefault(values[:place] + values[place + 1 :], []).append(log)
        between = sum(len(group) * float(np.mean(group)) ** 2 for group in groups.values())
        spans = [max(line) - min(line) for line in lines.values() if len(line) > 1]
        share = min(between / total, 1.0) if total > 1e-18 else 0.0
        compared = max(Counter(scene for scene, _ in groups).values()) > 1
        found.append(
            Sensitivity(
                axis=axis.name,
                metric=metric,
                share=None if missing or not compared else share,
                factor=math.exp(float(np.mean(spans))) if spans else None,
                most=math.exp(max(spans)) if spans else None,
                lines=len(spans),
                unknown=tuple(value for value in axis.values if value not in known[place]),
                missing=missing,
            )
        )
    return tuple(
        sorted(found, key=lambda each: (-(each.share or 0), -(each.factor or 0), each.axis))
    )


def list_sensitivity_notes(result: SweepResult, metric: Metric) -> list[str]:
    """Return the limits of the sensitivities of a metric, with reasons; empty if there are none."""
    return [
        *_energy_notes(result, metric),
        *_unknown_notes(result, compute_sensitivities(result, metric)),
    ]


def _energy_notes(result: SweepResult, metric: Metric) -> list[str]:
    """Return notes for comparisons of energies: separate kinds, lanes."""
    if metric.name not in ENERGY_COLUMNS:
        return []
    found, notes = result.technologies, []
    if len(found) > 1:
        notes.append(f"{metric.word} is compared within each kind and library alone: "
                     + "; ".join(found))  # fmt: skip
    lanes = {
        0 if row.task.architecture.vcu is None else row.task.architecture.vcu.simd
        for row in result.rows
        if row.task is not None and row.outcome.facts.get("energy_kind") == FPGA_CALIBRATED
    }
    return notes + ([_ONE_CLOCK.format(metric.word)] if len(lanes) > 1 else [])


def _is_zero_at(result: SweepResult, each: Sensitivity, value: Value) -> bool:
    """Return whether the metric is 0 at some point with this value of the axis."""
    place = [axis.name for axis in result.sweep.axes].index(each.axis)
    return any(
        row.values[place] == value and row.metric(each.metric) == 0
        for row in result.rows
        if not row.failed
    )


def _unknown_notes(result: SweepResult, found: Sequence[Sensitivity]) -> list[str]:
    notes = []
    for each in found:
        zeros = [value for value in each.unknown if _is_zero_at(result, each, value)]
        rest = [value for value in each.unknown if value not in zeros]
        if zeros:
            values = ", ".join(map(written, zeros))
            notes.append(f"{each.axis}: {each.metric.word} is 0 at {values}, and 0 has no factor")
        if rest:
            values = ", ".join(map(written, rest))
            notes.append(f"{each.axis}: {each.metric.word} is not known at {values}")
    if found and found[0].missing:
        points = "point is" if found[0].missing == 1 else "points are"
        notes.append(
            f"shares are not known: unbalanced, {found[0].missing:,} {points} missing; factors"
            " compare like with like"
        )
    return notes
