"""Content of the report of a sweep: points, axes, quantities and labels."""

from dataclasses import dataclass, replace
from math import gcd
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex

from gnomon.arch.keys import written
from gnomon.explore import Sweep, SweepResult, compute_sensitivities, ranks_energy, recommend
from gnomon.explore.columns import Ints, PointTable
from gnomon.explore.metrics import ENERGY_COLUMNS, METRICS, Metric, format_quantity

MOST_POINTS = 5000
"""Most points of a page besides those on fronts, and most of those on fronts; a browser draws
these numbers without a delay."""

_BESIDE = ("area_luts", "energy_uj", "memory_bytes", "wall_cycles", "time_us")


@dataclass(frozen=True, slots=True)
class Shown:
    """Sweep with the derived data of page and pictures."""

    result: SweepResult  # the sweep
    # the recommendation of each front: a sentence; of the point, if there is one, all values
    recommended: list[dict[str, Any]]
    measured: PointTable  # points with metrics
    held: SweepResult  # points that the page holds
    axes: tuple[int, ...]  # indices of the axes with two values or more
    metrics: tuple[Metric, ...]  # metrics that some point has
    wanted: tuple[Metric, ...]  # metrics of objectives and constraints, each once
    front: frozenset[int]  # numbers of the points on a front
    taken: tuple[int, ...]  # numbers of the recommended points
    energies: bool  # whether energies are shown: all of one kind and library, or one front for each

    def vertical(self) -> Metric:
        """Return the first objective that most of the points have: the initial vertical axis."""
        return self._most_known([each.metric for each in self.result.sweep.objectives])

    def horizontal(self) -> Metric:
        """Return the initial horizontal axis of the scatter: the last other objective.

        An objective that some points lack gives way to a metric that all points have.
        """
        first = self.vertical()
        asked = [each.metric for each in reversed(self.result.sweep.objectives)]
        beside = [metric for name in _BESIDE for metric in self.metrics if metric.name == name]
        others = [metric for metric in (*asked, *beside) if metric != first]
        return self._most_known(others) if others else first

    def known(self, metric: Metric) -> int:
        """Return the number of measured points that have a metric."""
        return int((~np.isnan(self.measured.column(metric))).sum())

    def _most_known(self, metrics: list[Metric]) -> Metric:
        """Return the metric that the most points have, the first of several."""
        return max(metrics, key=self.known)

    def colouring(self) -> int | None:
        """Return the axis that moves the first objective most, or None if nothing varies."""
        names = [axis.name for axis in self.result.sweep.axes]
        found = compute_sensitivities(self.result, self.vertical())
        strongest = [names.index(each.axis) for each in found]
        return next(iter([*strongest, *self.axes]), None)


def select_shown(result: SweepResult) -> Shown:
    sweep, found = result.sweep, recommend(result)
    points = result.points
    places = np.flatnonzero(~points.failed)
    measured = points.take(places)
    energies = ranks_energy(sweep) or len(result.technologies) < 2
    metrics = tuple(
        metric
        for metric in METRICS
        if sweep.workload in metric.of
        and (energies or metric.name not in ENERGY_COLUMNS)
        and not np.isnan(measured.column(metric)).all()
    )
    axes = tuple(place for place, axis in enumerate(sweep.axes) if len(axis.values) > 1)
    asked = [each.metric for each in sweep.objectives]
    asked += [each.metric for each in sweep.constraints]
    wanted = tuple(metric for metric in dict.fromkeys(asked) if metric in metrics)
    free = [place for place in axes if sweep.axes[place].name not in sweep.per]
    recommended = []
    for choice in found:
        take = choice.take
        known = [(each, take.metric(each)) for each in wanted] if take else []
        recommended.append({
            "sentence": choice.sentence[0].upper() + choice.sentence[1:],
            "settings": [(sweep.axes[n].name, written(take.values[n])) for n in free]
            if take else [],
            "figures": [(word(metric), format_quantity(metric, value))
                        for metric, value in known if value is not None],
        })  # fmt: skip
    front = np.array(sorted({row.index for choice in found for row in choice.front}), np.int64)
    taken = tuple(choice.take.index for choice in found if choice.take is not None)
    return Shown(
        result=result,
        recommended=recommended,
        measured=measured,
        held=_held(result, places, front, np.array(taken, np.int64)),
        axes=axes,
        metrics=metrics,
        wanted=wanted,
        front=frozenset(front.tolist()),
        taken=taken,
        energies=energies,
    )


def _held(result: SweepResult, measured: Ints, front: Ints, taken: Ints) -> SweepResult:
    """Return all measured points, or those that a page holds of a large sweep.

    They are the points on fronts, or some of them in equal steps along the first objective; the
    recommended points; and every n-th of all points.
    """
    numbers = result.points.numbers[measured]
    held = np.isin(numbers, _thin(result, front)) | np.isin(numbers, taken)
    held |= np.arange(len(measured)) % held_step(result.sweep, len(measured)) == 0
    return replace(result, rows=tuple(result.rows[place] for place in measured[held].tolist()))


def _thin(result: SweepResult, front: Ints) -> Ints:
    """Return points on fronts, at most ``MOST_POINTS``, with the ends of the first objective."""
    if len(front) <= MOST_POINTS:
        return front
    points = result.points
    first = points.column(result.sweep.objectives[0].metric)[np.searchsorted(points.numbers, front)]
    steps = np.linspace(0, len(front) - 1, MOST_POINTS).round().astype(np.int64)
    return front[np.argsort(first, kind="stable")[steps]]


def held_step(sweep: Sweep, measured: int) -> int:
    """Return n where a page holds every n-th of the measured points, besides those on fronts.

    It shares no factor with the size of an axis, so that every value of each axis is there.
    """
    step = max(1, -(-measured // MOST_POINTS))
    while step > 1 and any(gcd(step, len(axis.values)) > 1 for axis in sweep.axes):
        step += 1
    return step


def word(metric: Metric) -> str:
    """Return the human-readable name of a metric; its unit follows the figures."""
    text = metric.word.replace("_", " ")
    return text if metric.unit == "cycles" else text.removesuffix(" cycles")


OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C8C8C")
_LIGHTEST = 0.84  # limit within viridis: its yellow end is too light for white paper


def colours(count: int) -> tuple[str, ...]:
    """Return one color per value of an axis, also distinguishable for color-blind readers.

    Okabe and Ito's; steps of viridis where there are more values.
    """
    if count <= len(OKABE_ITO):
        return OKABE_ITO[:count]
    return tuple(to_hex(colormaps["viridis"](_LIGHTEST * n / (count - 1))) for n in range(count))


_MOST_NAMED = 12  # values of an axis that a legend names one by one
_SOME_NAMED = 7


def named(count: int) -> list[int]:
    """Return the places of the values that a legend names: all, or some at equal distances."""
    if count <= _MOST_NAMED:
        return list(range(count))
    return [round(n * (count - 1) / (_SOME_NAMED - 1)) for n in range(_SOME_NAMED)]
