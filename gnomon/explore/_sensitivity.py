"""Which knob matters: for every axis, how much of a metric it moves."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gnomon.explore._result import SweepResult
from gnomon.explore.metrics import Metric


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What one axis does to one metric."""

    axis: str  # its name
    metric: Metric  # what it moves
    # of the variance of the metric's logarithm, how much the mean of each of its values explains: 0
    # = none, 1 = all. Shares of several axes may sum to less than 1, for what they only do
    # together, or to more where the points are no full grid. Points with different values of the
    # axes in `Sweep.per` are not compared.
    share: float
    # largest over smallest metric along this axis, all other axes held; the geometric mean over all
    # lines of points with at least two. 1 = it moves nothing.
    factor: float
    most: float  # the largest such factor
    lines: int  # how many such lines there are

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"metric": self.metric.name}


def sensitivities(result: SweepResult, metric: Metric) -> tuple[Sensitivity, ...]:
    """See :meth:`SweepResult.sensitivities`."""
    points = [
        (row.values, math.log(value))
        for row in result.rows
        if not row.failed and (value := row.metric(metric)) is not None and value > 0
    ]
    if not points:
        return ()
    apart = [at for at, axis in enumerate(result.sweep.axes) if axis.name in result.sweep.per]
    scenes: dict[Any, list[float]] = {}
    for values, log in points:
        scenes.setdefault(tuple(values[at] for at in apart), []).append(log)
    means = {scene: float(np.mean(logs)) for scene, logs in scenes.items()}
    points = [(values, log - means[tuple(values[at] for at in apart)]) for values, log in points]
    total = sum(log**2 for _, log in points)
    found = []
    for place, axis in enumerate(result.sweep.axes):
        if len(axis.values) < 2 or place in apart:
            continue
        groups: dict[Any, list[float]] = {}
        lines: dict[Any, list[float]] = {}
        for values, log in points:
            scene = tuple(values[at] for at in apart)
            groups.setdefault((scene, values[place]), []).append(log)
            lines.setdefault(values[:place] + values[place + 1 :], []).append(log)
        between = sum(len(group) * float(np.mean(group)) ** 2 for group in groups.values())
        spans = [max(line) - min(line) for line in lines.values() if len(line) > 1]
        share = min(between / total, 1.0) if total > 1e-18 else 0.0
        found.append(
            Sensitivity(
                axis=axis.name,
                metric=metric,
                share=share,
                factor=math.exp(float(np.mean(spans))) if spans else 1.0,
                most=math.exp(max(spans)) if spans else 1.0,
                lines=len(spans),
            )
        )
    return tuple(sorted(found, key=lambda each: (-each.share, -each.factor, each.axis)))
