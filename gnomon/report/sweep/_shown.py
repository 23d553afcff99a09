"""What the report shows of a sweep: which points, which axes, which quantities, what is what."""

from dataclasses import dataclass

from matplotlib import colormaps
from matplotlib.colors import to_hex

from gnomon.explore import Choice, Row, SweepResult
from gnomon.explore.metrics import METRICS, Metric

MOST_POINTS = 5000
"""Points that a page holds; a browser draws that many without a pause."""

_BESIDE = ("area_luts", "energy_uj", "memory_bytes", "wall_cycles", "time_us")


@dataclass(frozen=True, slots=True)
class Shown:
    """A sweep, and what the page and the pictures take from it."""

    result: SweepResult  # the sweep
    choices: tuple[Choice, ...]  # its fronts and recommendations
    measured: tuple[Row, ...]  # all points with metrics, in order of the grid
    rows: tuple[Row, ...]  # those that the page holds
    axes: tuple[int, ...]  # places of the axes with two values or more
    metrics: tuple[Metric, ...]  # those that some point has
    wanted: tuple[Metric, ...]  # metrics of objectives and constraints, each once
    front: frozenset[int]  # numbers of the points on a front
    taken: tuple[int, ...]  # numbers of the recommended points

    def vertical(self) -> Metric:
        """What the scatter has upwards at first: the first objective."""
        return self.result.sweep.objectives[0].metric

    def horizontal(self) -> Metric:
        """And to the right: the last objective, or what is known beside the only one."""
        first, last = self.vertical(), self.result.sweep.objectives[-1].metric
        if last != first:
            return last
        beside = [m for name in _BESIDE for m in self.metrics if m.name == name and m != first]
        return beside[0] if beside else first

    def colouring(self) -> int | None:
        """The axis that moves the first objective most, or None if nothing varies."""
        names = [axis.name for axis in self.result.sweep.axes]
        found = self.result.sensitivities(self.vertical())
        strongest = [names.index(each.axis) for each in found]
        return next(iter([*strongest, *self.axes]), None)


def show(result: SweepResult) -> Shown:
    sweep = result.sweep
    found = result.choices()
    measured = tuple(row for row in result.rows if not row.failed)
    metrics = tuple(
        metric
        for metric in METRICS
        if sweep.workload in metric.of and any(row.metric(metric) is not None for row in measured)
    )
    asked = [each.metric for each in sweep.objectives]
    asked += [each.metric for each in sweep.constraints]
    front = frozenset(row.index for choice in found for row in choice.front)
    return Shown(
        result=result,
        choices=found,
        measured=measured,
        rows=_held(measured, front),
        axes=tuple(place for place, axis in enumerate(sweep.axes) if len(axis.values) > 1),
        metrics=metrics,
        wanted=tuple(metric for metric in dict.fromkeys(asked) if metric in metrics),
        front=front,
        taken=tuple(choice.take.index for choice in found if choice.take is not None),
    )


def _held(measured: tuple[Row, ...], front: frozenset[int]) -> tuple[Row, ...]:
    """All points, or the fronts and every so-many-th of the others."""
    if len(measured) <= MOST_POINTS:
        return measured
    every = -(-len(measured) // MOST_POINTS)
    return tuple(
        row for place, row in enumerate(measured) if place % every == 0 or row.index in front
    )


def word(metric: Metric) -> str:
    """The name of a metric for readers; its unit stands with the figures."""
    text = metric.word.replace("_", " ")
    return text if metric.unit == "cycles" else text.removesuffix(" cycles")


OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C8C8C")
_LIGHTEST = 0.84  # of viridis: its yellow end is too light for white paper


def colours(count: int) -> tuple[str, ...]:
    """One colour per value of an axis, which color-blind readers can tell, too.

    Okabe and Ito's; steps of viridis where there are more values.
    """
    if count <= len(OKABE_ITO):
        return OKABE_ITO[:count]
    return tuple(to_hex(colormaps["viridis"](_LIGHTEST * n / (count - 1))) for n in range(count))
