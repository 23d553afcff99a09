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
from gnomon.explore.columns import Floats, Ints, in_order, list_members
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
    key = "sensitivities", metric.name, result.sweep.per
    return result.points.once(key, lambda: _compute(result, metric))


def _compute(result: SweepResult, metric: Metric) -> tuple[Sensitivity, ...]:
    points = result.points
    values = points.column(metric)
    points = points.take(values > 0)
    if not len(points):
        return ()
    logs = np.array([math.log(value) for value in points.column(metric).tolist()])
    axes = result.sweep.axes
    # Energies of different kinds or libraries are not compared, like points of an axis in `per`.
    of_energy = metric.name in ENERGY_COLUMNS
    technology = points.technology[1] + 1 if of_energy else np.zeros(len(points), np.int64)
    kinds = int(technology.max()) + 1
    scene_of = [at for at, axis in enumerate(axes) if axis.name in result.sweep.per]
    scenes = points.groups(scene_of)[0] * kinds + technology
    logs = logs - _means(logs, scenes)[in_order(scenes)[0]]
    total = sum(log**2 for log in logs.tolist())
    known = [np.unique(points.places(place)) for place in range(len(axes))]
    missing = math.prod(map(len, known)) - len(points)
    found = []
    for place, axis in enumerate(axes):
        if len(axis.values) < 2 or place in scene_of:
            continue
        groups = scenes * len(axis.values) + points.places(place)
        others = [each for each in range(len(axes)) if each != place]
        lines = points.groups(others)[0] * kinds + technology
        means = _means(logs, groups)
        sizes, of_scene = np.bincount(in_order(groups)[0]), in_order(groups)[1]
        between = sum(
            size * mean**2 for size, mean in zip(sizes.tolist(), means.tolist(), strict=True)
        )
        spans = _spans(logs, lines)
        share = min(between / total, 1.0) if total > 1e-18 else 0.0
        compared = max(Counter(scenes[of_scene].tolist()).values()) > 1
        found.append(
            Sensitivity(
                axis=axis.name,
                metric=metric,
                share=None if missing or not compared else share,
                factor=math.exp(float(np.mean(spans))) if len(spans) else None,
                most=math.exp(float(np.max(spans))) if len(spans) else None,
                lines=len(spans),
                unknown=tuple(
                    value for at, value in enumerate(axis.values) if at not in known[place]
                ),
                missing=missing,
            )
        )
    return tuple(
        sorted(found, key=lambda each: (-(each.share or 0), -(each.factor or 0), each.axis))
    )


def _means(values: Floats, codes: Ints) -> Floats:
    """Return the mean of the values of each code, in the order in which codes appear."""
    members = list_members(in_order(codes)[0])
    return np.array([float(np.mean(values[each])) for each in members])


def _spans(values: Floats, codes: Ints) -> Floats:
    """Return largest less smallest value of each code that has several."""
    groups, firsts = in_order(codes)
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(len(firsts)))
    ordered = values[order]
    spans: Floats = np.maximum.reduceat(ordered, starts) - np.minimum.reduceat(ordered, starts)
    return spans[np.bincount(groups) > 1]


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
    points = result.points
    calibrated = points.told(lambda each: each.facts.get("energy_kind") == FPGA_CALIBRATED)
    points = points.take(calibrated.astype(bool) & points.made)
    _, machines, _ = points.settings_axes()
    tasks = [points[first].task for first in points.groups(machines)[1].tolist()]
    vcus = [task.architecture.vcu for task in tasks if task is not None]
    lanes = {0 if vcu is None else vcu.simd for vcu in vcus}
    return notes + ([_ONE_CLOCK.format(metric.word)] if len(lanes) > 1 else [])


def _is_zero_at(result: SweepResult, each: Sensitivity, value: Value) -> bool:
    """Return whether the metric is 0 at some point with this value of the axis."""
    axis = next(axis for axis in result.sweep.axes if axis.name == each.axis)
    place, points = result.sweep.axes.index(axis), result.points
    at = points.places(place) == axis.values.index(value)
    return bool((at & (points.column(each.metric) == 0) & ~points.failed).any())


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
