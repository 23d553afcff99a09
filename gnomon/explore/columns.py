"""Points of a sweep with their outcomes, by column, so that a million of them fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import Unit
from gnomon.base.errors import GnomonError
from gnomon.explore._outcomes import PointOutcome
from gnomon.explore._spec import Sweep
from gnomon.explore._task import LATE, Task, make_task
from gnomon.explore.metrics import METRICS, Constraint, Metric, format_quantity, technology_of
from gnomon.explore.settings import Value, find_setting

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """Point of a sweep."""

    index: int  # its number in the grid
    values: tuple[Value, ...]  # of the axes, in their order
    task: Task | None  # the evaluated task; None if the values make no machine
    outcome: PointOutcome  # what came of it

    @property
    def failed(self) -> bool:
        """Whether the point has no metrics."""
        return bool(self.outcome.reason)

    @property
    def technology(self) -> str:
        """Kind and library of its energy; empty if the energy is unavailable."""
        return technology_of(self.outcome.facts)

    def metric(self, metric: Metric) -> float | None:
        """Return a metric, or None if it is unavailable."""
        value = self.outcome.metrics.get(metric.name)
        return None if value is None else float(value)

    def interval(self, metric: Metric) -> tuple[float, float] | None:
        """Return the ends of the interval of a metric; None if it has none, or is exact."""
        low, high = (self.outcome.metrics.get(name) for name in _ends(metric))
        return None if low is None or high is None or low == high else (float(low), float(high))

    def shown(self, metric: Metric) -> str:
        """Return a metric with its interval, in human-readable form."""
        value, ends = self.metric(metric), self.interval(metric)
        if value is None:
            return "not known"
        text = format_quantity(metric, value)
        if ends is None:
            return text
        low, high = (format_quantity(metric, float(f"{each:.3g}")) for each in ends)
        unit = high.rpartition(" ")[2]
        return f"{text} ({low.removesuffix(f' {unit}')} to {high})"


@dataclass(eq=False)
class PointTable(Sequence[Row]):
    """Points in grid order. A row is made when it is read; computations use the columns."""

    sweep: Sweep
    numbers: Ints  # in the grid
    kinds: Ints  # of each point: index in `shared`
    shared: Sequence[PointOutcome]  # notes, facts and reason, which many points share
    at: Ints  # of each point: its row in `metrics`, which parts of a result share
    metrics: Floats  # a column per metric of the workload; NaN: unavailable
    unmade: frozenset[int]  # outcomes in `shared` of values that make no machine
    _known: dict[object, Any] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(sweep: Sweep, rows: Sequence[Row]) -> PointTable:
        """Return rows as columns."""
        if isinstance(rows, PointTable):
            return rows
        collected = PointCollector(sweep)
        for row in rows:
            collected.add([row.index], [row.outcome], made=row.task is not None)
        return collected.points()

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        """Return a row, or several."""
        if isinstance(place, slice):
            return tuple(self[each] for each in range(*place.indices(len(self))))
        index = int(self.numbers[place])
        values = self.sweep.point(index)
        try:
            task = make_task(self.sweep, values)
        except GnomonError:
            task = None
        return Row(index, values, task, self.outcome(place))

    def __eq__(self, other: object) -> bool:
        """Return whether the rows are equal."""
        if not isinstance(other, PointTable):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def outcome(self, place: int) -> PointOutcome:
        """Return the outcome of a point."""
        values = self.metrics[self.at[place]].tolist()
        known = zip(metric_names(self.sweep), values, strict=True)
        metrics = {name: value for name, value in known if value == value}  # noqa: PLR0124 - NaN
        shared = self.shared[self.kinds[place]]
        return PointOutcome(metrics, shared.notes, shared.facts, shared.reason)

    def take(self, places: Ints | Bools | slice) -> PointTable:
        """Return some of the points."""
        return PointTable(
            self.sweep, self.numbers[places], self.kinds[places], self.shared, self.at[places],
            self.metrics, self.unmade,
        )  # fmt: skip

    def column(self, metric: Metric) -> Floats:
        """Return a metric of each point, NaN if it is unavailable."""
        return self._column(metric.name)

    def interval(self, metric: Metric) -> tuple[Floats, Floats]:
        """Return the ends of the interval of a metric of each point, see ``Row.interval``.

        They are NaN if a point has no interval, or an exact one.
        """
        low, high = map(self._column, _ends(metric))
        exact = low == high
        return np.where(exact, np.nan, low), np.where(exact, np.nan, high)

    def _column(self, name: str) -> Floats:
        names = metric_names(self.sweep)
        if name not in names:
            return np.full(len(self), np.nan)
        column: Floats = self.metrics[self.at, names.index(name)]
        return column

    def told(self, of: Any) -> npt.NDArray[Any]:
        """Return what a function says about the shared part of each outcome, as objects."""
        texts = np.empty(len(self.shared), dtype=object)
        texts[:] = [of(each) for each in self.shared]
        return texts[self.kinds]

    @property
    def failed(self) -> Bools:
        """Whether each point has no metrics."""
        failed: Bools = np.array([bool(each.reason) for each in self.shared], bool)[self.kinds]
        return failed

    @property
    def made(self) -> Bools:
        """Whether the values of each point make a machine."""
        kinds = range(len(self.shared))
        made: Bools = np.array([kind not in self.unmade for kind in kinds], bool)[self.kinds]
        return made

    @property
    def technology(self) -> tuple[list[str], Ints]:
        """Kinds and libraries of energies in the order of points, and the place of each point's.

        The place of a point without an energy is -1.
        """
        names = [technology_of(each.facts) for each in self.shared]
        found = list(dict.fromkeys(names[kind] for kind in self.first_kinds() if names[kind]))
        places = [found.index(name) if name in found else -1 for name in names]
        return found, np.array(places, np.int64)[self.kinds]

    def once(self, key: object, compute: Callable[[], T]) -> T:
        """Return the result of a computation over these points, made once."""
        if key not in self._known:
            self._known[key] = compute()
        known: T = self._known[key]
        return known

    def first_kinds(self) -> dict[int, int]:
        """Return the number of points by their index in ``shared``, in the order of points."""
        return self.once("kinds", self._count_kinds)

    def _count_kinds(self) -> dict[int, int]:
        kinds, firsts, counts = np.unique(self.kinds, return_index=True, return_counts=True)
        order = np.argsort(firsts)
        numbers = zip(kinds[order].tolist(), counts[order].tolist(), strict=True)
        return dict(numbers)

    def tally(self, of: Any) -> dict[Any, int]:
        """Return the number of points by what a function says about their outcome, in order.

        Points for which it says None are not counted.
        """
        found: dict[Any, int] = {}
        for kind, count in self.first_kinds().items():
            text = of(self.shared[kind])
            if text is not None:
                found[text] = found.get(text, 0) + count
        return found

    def places(self, axis: int) -> Ints:
        """Return the index of each point's value on an axis."""
        return places_of(self.sweep, self.numbers, axis)

    def groups(self, axes: Iterable[int]) -> tuple[Ints, Ints]:
        """Return a group of each point, numbered in grid order, and the first point of each group.

        Points of a group have the same values on some axes.
        """
        code = np.zeros(len(self), np.int64)
        for axis in axes:
            code = code * len(self.sweep.axes[axis].values) + self.places(axis)
        return in_order(code)

    def list_units(self) -> tuple[Unit, ...]:
        """Return the functional units of the machines, each point of them once, in grid order."""
        names = [axis.name.partition(".")[0] for axis in self.sweep.axes]
        axes = [place for place, name in enumerate(names) if name in ("arch", "units")]
        made = self.take(self.made)
        _, firsts = made.groups(axes)
        tasks = [made[first].task for first in firsts.tolist()]
        units = (each for task in tasks if task is not None for each in task.architecture.units)
        return tuple(dict.fromkeys(units))

    def settings_axes(self) -> tuple[list[int], list[int], list[int]]:
        """Return the axes of settings, of machines, and of keys that only the price depends on."""
        settings, machines, late = list[int](), list[int](), list[int]()
        for place, axis in enumerate(self.sweep.axes):
            if find_setting(self.sweep.workload, axis.name) is not None:
                settings.append(place)
            else:
                (late if axis.name in LATE else machines).append(place)
        return settings, machines, late


def places_of(sweep: Sweep, numbers: Ints, axis: int) -> Ints:
    """Return the index of the value that each of some points has on an axis."""
    values = [len(each.values) for each in sweep.axes]
    places: Ints = numbers // prod(values[axis + 1 :]) % values[axis]
    return places


def _ends(metric: Metric) -> tuple[str, str]:
    """Return the columns of the ends of the interval of a metric."""
    return f"{metric.word}_low_{metric.unit}", f"{metric.word}_high_{metric.unit}"


def in_order(codes: Ints) -> tuple[Ints, Ints]:
    """Return codes numbered in the order in which they appear, and where each appears first."""
    _, firsts, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse.reshape(-1)], firsts[order]


def list_members(groups: Ints) -> list[Ints]:
    """Return the places of each group; groups are numbered from 0, and none is empty."""
    if not len(groups):
        return []
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order])) + 1
    return np.split(order, starts)


def metric_names(sweep: Sweep) -> tuple[str, ...]:
    """Return the columns of the metrics of a workload."""
    return _NAMES[sweep.workload]


_NAMES: Mapping[str, tuple[str, ...]] = {
    workload: tuple(metric.name for metric in METRICS if workload in metric.of)
    for workload in ("learner", "kernel", "program")
}


def find_meeting(points: PointTable) -> Bools:
    """Return whether each point meets every constraint."""
    meets = ~points.failed
    for limit in points.sweep.constraints:
        value = points.column(limit.metric)
        meets &= value <= limit.limit if limit.at_most else value >= limit.limit
    return meets


def find_unsure(points: PointTable) -> Bools:
    """Return whether a constraint of each point is undecided, and the point misses no other."""
    unsure, missed = np.zeros(len(points), bool), points.failed
    for limit in points.sweep.constraints:
        value = points.column(limit.metric)
        unsure |= np.isnan(value)
        missed |= value > limit.limit if limit.at_most else value < limit.limit
    return unsure & ~missed


def find_misses(points: PointTable, limit: Constraint) -> Floats:
    """Return the factor by which each point misses a limit, see ``Constraint.miss``."""
    value = points.column(limit.metric)
    bound = np.full(len(points), limit.limit)
    low, high = (value, bound) if limit.at_most else (bound, value)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(high != 0, low / high, np.where(low <= high, 1.0, np.inf))
    return np.where(np.isnan(value), np.inf, factor)


class PointCollector:
    """Outcomes of points in any order, until all are known."""

    def __init__(self, sweep: Sweep) -> None:
        """Collect points of a sweep."""
        self._sweep = sweep
        self._names = metric_names(sweep)
        self._parts: list[tuple[Ints, Ints, Floats]] = []
        self._kinds: dict[tuple[object, ...], int] = {}
        self._shared: list[PointOutcome] = []
        self._unmade: set[int] = set()
        self.count = 0

    def add(
        self, indices: Sequence[int], outcomes: Sequence[PointOutcome], *, made: bool = True
    ) -> None:
        """Add points; ``made`` is false if their values make no machine."""
        values = [[each.metrics.get(name, np.nan) for name in self._names] for each in outcomes]
        metrics = np.array(values, np.float64).reshape(len(outcomes), len(self._names))
        self.add_columns(indices, outcomes, metrics, [made] * len(outcomes))

    def add_columns(
        self,
        indices: Sequence[int],
        shared: Sequence[PointOutcome],
        metrics: Floats,
        made: Sequence[bool],
    ) -> None:
        """Add points: the shared part of each outcome, and a row of metrics."""
        kinds = [self._kind(each, of) for each, of in zip(shared, made, strict=True)]
        self._parts.append((np.array(indices, np.int64), np.array(kinds, np.int64), metrics))
        self.count += len(indices)

    def _kind(self, outcome: PointOutcome, made: bool) -> int:
        key = (*outcome.notes.items(), made, *outcome.facts.items(), outcome.reason)
        if key not in self._kinds:
            if not made:
                self._unmade.add(len(self._shared))
            self._kinds[key] = len(self._shared)
            self._shared.append(PointOutcome({}, outcome.notes, outcome.facts, outcome.reason))
        return self._kinds[key]

    def rows(self, indices: Sequence[int]) -> list[Row]:
        """Return points that were added, in this order."""
        points = self.points()
        at = {index: place for place, index in enumerate(points.numbers.tolist())}
        return [points[at[index]] for index in indices]

    def points(self) -> PointTable:
        """Return all points so far, in grid order."""
        if self._parts:
            index, kinds, metrics = map(np.concatenate, zip(*self._parts, strict=True))
        else:
            index = kinds = np.empty(0, np.int64)
            metrics = np.empty((0, len(self._names)))
        if (np.diff(index) < 0).any():
            order = np.argsort(index)
            index, kinds, metrics = index[order], kinds[order], metrics[order]
        self._parts = [(index, kinds, metrics)]
        unmade = frozenset(self._unmade)
        at = np.arange(len(index))
        return PointTable(self._sweep, index, kinds, self._shared, at, metrics, unmade)
