"""Which knob matters: for every axis, how much of a metric it moves."""

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
    """What one axis does to one metric."""

    axis: str  # its name
    metric: Metric  # what it moves
    # of the variance of the metric's logarithm, how much the mean of each of its values explains: 0
    # = none, 1 = all. Shares of several axes may sum to less than 1, for what they only do
    # together; where points are missing they would also hold what other axes do, and are not known.
    # Points with different values of the axes in `Sweep.per` are not compared.
    share: float | None
    # largest over smallest metric along this axis, all other axes held; the geometric mean over all
    # lines of points with at least two. 1 = it moves nothing. Not known if there is no such line.
    factor: float | None
    most: float | None  # the largest such factor
    lines: int  # how many such lines there are
    unknown: tuple[Value, ...]  # its values at which the metric is not known, or is 0, at any point
    # of all combinations of values at which it is known, how many points have no metric
    missing: int

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {
            "metric": self.metric.name,
            "unknown": [*map(written, self.unknown)],
        }


_ONE_CLOCK = (
    "FPGA-calibrated tables have one clock power for all machines, with any number of lanes or"
    " without a vector unit: what more lanes take in every cycle is not in {}"
)


def compute_sensitivities(result: SweepResult, metric: Metric) -> tuple[Sensitivity, ...]:
    """Return what every axis with two values or more does to a metric, the strongest first.

    Points without the metric, or where it is 0, are left out.
    """
    # Energies of different kinds or libraries are not compared, as if that were an axis of `per`.
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
    """Return what the sensitivities of a metric leave open, and why; empty if nothing."""
    return [
        *_energy_notes(result, metric),
        *_unknown_notes(compute_sensitivities(result, metric)),
    ]


def _energy_notes(result: SweepResult, metric: Metric) -> list[str]:
    """Return what a reader must know who compares energies of points: kinds apart, lanes."""
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


def _unknown_notes(found: Sequence[Sensitivity]) -> list[str]:
    notes = [
        f"{each.axis}: {each.metric.word} is not known at {', '.join(map(written, each.unknown))}"
        for each in found
        if each.unknown
    ]
    if found and found[0].missing:
        points = "point is" if found[0].missing == 1 else "points are"
        notes.append(
            f"shares are not known: unbalanced, {found[0].missing:,} {points} missing; factors"
            " compare like with like"
        )
    return notes
