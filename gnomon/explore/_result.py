"""Result of a sweep: one row per point, in grid order; and the whole result as columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gnomon.arch.keys import is_unit_key, key_paths, written
from gnomon.base.errors import GnomonError
from gnomon.base.frames import Framed
from gnomon.base.values import to_json_data
from gnomon.explore._runs import Counts
from gnomon.explore._spec import Axis, Sweep
from gnomon.explore._task import Task
from gnomon.explore.columns import Ints, PointTable, Row, find_meeting, list_members
from gnomon.explore.metrics import ENERGY_FACTS, METRICS
from gnomon.explore.settings import BUILD, SETTINGS, Value

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_KINDS = {int: "int64", bool: "bool", float: "float64"}
_BUILT = (("build", "string"), ("binary", "string"))
_SETTINGS = {"int": "int64", "bool": "bool"}
_MOST_DENSE = 10_000_000
SLICE = 2**13
"""Points of a slice of a result, which is also a row group of Parquet."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """Values of one kind, ``int64``, ``bool``, ``float64`` or ``string``; None: unavailable."""

    kind: str
    values: list[Any]


@dataclass(frozen=True, slots=True)
class SweepResult(Framed):
    """All visited points of a sweep."""

    sweep: Sweep  # the evaluated sweep
    rows: Sequence[Row]  # the points in grid order, including failed ones
    counts: Counts  # origin of the points; only this part depends on the cache

    def caption(self) -> str:
        """Return name, number of points, and number of failed points."""
        failed = sum(self.failures.values())
        return f"{self.sweep.name}: {len(self.rows)} points, {failed} failed"

    def frame(self) -> pd.DataFrame:
        """Return :meth:`columns` as a DataFrame, one row per point."""
        import pandas as pd

        series = {}
        for name, column in self.columns().items():
            unknown = any(each is None for each in column.values)  # noqa: PD011 - no pandas
            numbers = column.kind == "float64" or (column.kind == "int64" and unknown)
            kind = "float64" if numbers else "object" if unknown else None
            series[name] = pd.Series(column.values, dtype=kind)
        return pd.DataFrame(series)

    def to_pandas(self) -> pd.DataFrame:
        """Return :meth:`frame`: one row per point, units in the column names."""
        return self.frame()

    def to_xarray(self) -> xr.Dataset:
        """Return the metrics as arrays over the axes, NaN where unavailable or not visited.

        Coordinates are the values of the axes. Each variable has ``units`` and ``long_name``;
        ``failed`` is 1 where a point failed, 0 where it did not, and NaN where it was not visited.

        Raises:
            GnomonError: if xarray is not installed, or the grid has more than 10 million points.
        """
        try:
            import xarray as xr
        except ImportError:
            raise GnomonError(
                "to_xarray needs xarray: python -m pip install 'gnomon[xarray]'"
            ) from None
        axes, points = self.sweep.axes, self.points
        if self.sweep.grid_points > _MOST_DENSE:
            raise GnomonError(
                f"the grid has {self.sweep.grid_points:,} points, more than {_MOST_DENSE:,}; use"
                " to_pandas(), which holds visited points alone"
            )
        names = [axis.name for axis in axes]
        shape = [len(axis.values) for axis in axes]

        def spread(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            whole = np.full(self.sweep.grid_points, np.nan)
            whole[points.numbers] = values
            return whole.reshape(shape)

        variables = {"failed": (names, spread(points.failed.astype(float)), {"units": ""})}
        for metric in METRICS:
            if self.sweep.workload in metric.of:
                about = {"units": metric.unit, "long_name": metric.meaning}
                variables[metric.name] = names, spread(points.column(metric)), about
        coordinates = {
            axis.name: [_same_kind(axis.values, value) for value in axis.values]  # noqa: PD011
            for axis in axes
        }
        return xr.Dataset(variables, coordinates, {"sweep": self.sweep.name})

    def columns(self) -> dict[str, ResultColumn]:
        """Return one value per point: number, axes, outcome, all settings, the whole machine.

        Columns: ``point``; ``axis.NAME`` as in the sweep; ``failed`` and ``reason``; ``meets`` all
            constraints; the metrics, null if unavailable; ``energy_kind``, ``energy_library`` and,
            for a stale table, ``energy_stale``: origin of the energy; ``note.NAME``: reason why a
            metric is unavailable; facts; the settings by name; every key of the machine by its
            dotted path, sizes in bytes, clock in hertz.
        """
        table = ResultTable(self)
        return table.slice(0, len(self.rows))

    @property
    def points(self) -> PointTable:
        """The rows by column."""
        return PointTable.of(self.sweep, self.rows)

    @property
    def technologies(self) -> tuple[str, ...]:
        """Kinds and libraries of the points' energies, which are never ranked against each other.

        In grid order; with one or none, all energies are comparable.
        """
        return tuple(self.points.technology[0])

    @property
    def failed(self) -> tuple[Row, ...]:
        """Points without metrics."""
        return tuple(self.rows[place] for place in np.flatnonzero(self.points.failed).tolist())

    @property
    def failures(self) -> dict[str, int]:
        """Number of failed points by reason, in grid order of the first of each."""
        return self.points.tally(lambda outcome: outcome.reason or None)

    def meets(self, row: Row) -> bool:
        """Return whether a point meets every constraint."""
        return not row.failed and all(
            limit.met_by(row.metric(limit.metric)) for limit in self.sweep.constraints
        )

    def named(self, row: Row) -> dict[str, Any]:
        """Return the values of a point by axis."""
        return {
            axis.name: to_json_data(value)
            for axis, value in zip(self.sweep.axes, row.values, strict=True)
        }


class ResultTable:
    """Columns of a result, made slice by slice; kinds of columns are those of all points."""

    def __init__(self, result: SweepResult) -> None:
        """Find the columns and their kinds."""
        self._points, sweep = result.points, result.sweep
        self._settings = SETTINGS[sweep.workload]
        self._types: dict[str, set[type]] = {}
        used, units = set[str](), dict[str, None]()
        for start in range(0, len(self._points), SLICE):
            points = self._points.take(slice(start, start + SLICE))
            for values, _ in self._given(points):
                used |= {name for name, value in values.items() if value is not None}
            for keys, _ in self._machines(points):
                units |= dict.fromkeys(key for key in keys if is_unit_key(key))
                self._note_types(keys.items())
            self._note_types((key, value) for key, value, _ in self._late(points))
        self._used = used
        self._keys = [*(key for key in key_paths() if key != "units"), *units]

    def _note_types(self, values: Iterable[tuple[str, Any]]) -> None:
        for key, value in values:
            if value is not None:
                self._types.setdefault(key, set()).add(type(value))

    def slices(self) -> Iterator[dict[str, ResultColumn]]:
        """Yield the columns of all points, slice by slice; at least one slice."""
        for start in range(0, max(1, len(self._points)), SLICE):
            yield self.slice(start, start + SLICE)

    def slice(self, start: int, end: int) -> dict[str, ResultColumn]:
        """Return the columns of some points."""
        points = self._points.take(slice(start, end))
        sweep = points.sweep
        made = {"point": ResultColumn("int64", points.numbers.tolist())}
        for place, axis in enumerate(sweep.axes):
            column = axis_column(axis)
            chosen = _chosen(column.values, points.places(place))
            made[f"axis.{axis.name}"] = ResultColumn(column.kind, chosen)
        made["failed"] = ResultColumn("bool", points.failed.tolist())
        made["reason"] = ResultColumn("string", points.told(lambda each: each.reason).tolist())
        made["meets"] = ResultColumn("bool", find_meeting(points).tolist())
        for metric in METRICS:
            if sweep.workload in metric.of:
                made[metric.name] = ResultColumn("float64", _optional(points.column(metric)))
        for name in ENERGY_FACTS:
            if name != "operands":  # a setting, below
                told = points.told(lambda each, name=name: each.facts.get(name) or None)
                made[name] = ResultColumn("string", told.tolist())
        of_learner = ("regret",) if sweep.workload == "learner" else ()
        for name in ("energy", "area", *of_learner):
            told = points.told(lambda each, name=name: each.notes.get(name))
            made[f"note.{name}"] = ResultColumn("string", told.tolist())
        for name, kind in (("arm", "int64"), ("exit_code", "int64"), *_BUILT):
            told = points.told(lambda each, name=name: each.facts.get(name))
            made[name] = ResultColumn(kind, told.tolist())
        return made | self._of_settings(points) | self._of_machines(points)

    def _of_settings(self, points: PointTable) -> dict[str, ResultColumn]:
        made = {}
        groups = list(self._given(points))
        for setting in self._settings:
            if setting in BUILD and setting.name not in self._used:
                continue
            values = _spread([(each.get(setting.name), places) for each, places in groups], points)
            if setting.name == "operands":  # assumption of the energy if the sweep does not set it
                assumed = points.told(lambda each: each.facts.get("operands")).tolist()
                values = [a if v is None else v for v, a in zip(values, assumed, strict=True)]
            texts = [_text(v) if isinstance(v, tuple) else v for v in values]
            made[setting.name] = ResultColumn(_SETTINGS.get(setting.kind, "string"), texts)
        return made

    def _of_machines(self, points: PointTable) -> dict[str, ResultColumn]:
        groups, late = list(self._machines(points)), list(self._late(points))
        made = {}
        for key in self._keys:
            found = [(each.get(key), places) for each, places in groups]
            found += [(value, places) for name, value, places in late if name == key]
            values = _spread(found, points)
            made[f"arch.{key}"] = _of_types(self._types.get(key, set()), values)
        return made

    @staticmethod
    def _given(points: PointTable) -> Iterator[tuple[dict[str, Value], Ints]]:
        """Yield settings, and the points that have them."""
        settings, _, _ = points.settings_axes()
        for task, places in _tasks(points, settings):
            yield dict(task.settings), places

    @staticmethod
    def _machines(points: PointTable) -> Iterator[tuple[dict[str, Any], Ints]]:
        """Yield keys of a machine, and the points on it."""
        _, machines, _ = points.settings_axes()
        for task, places in _tasks(points, machines):
            yield dict(_flat(task.architecture.to_dict())), places

    @staticmethod
    def _late(points: PointTable) -> Iterator[tuple[str, Any, Ints]]:
        """Yield values of keys that only the price depends on, and the points that have them."""
        _, _, late = points.settings_axes()
        for axis in late:
            name = points.sweep.axes[axis].name
            for task, places in _tasks(points, [axis]):
                yield name, task.architecture.to_dict()[name], places


def _tasks(points: PointTable, axes: Sequence[int]) -> Iterator[tuple[Task, Ints]]:
    """Yield a task of each group of points with the same values on some axes, and the points."""
    made = np.flatnonzero(points.made)
    chosen = points.take(made)
    groups, firsts = chosen.groups(axes)
    for first, places in zip(firsts.tolist(), list_members(groups), strict=True):
        task = chosen[first].task
        assert task is not None
        yield task, made[places]


def _spread(groups: Iterable[tuple[Any, Ints]], points: PointTable) -> list[Any]:
    """Return a value for each point, None for points of no group."""
    values = np.empty(len(points), dtype=object)
    for value, places in groups:
        cell = np.empty(1, dtype=object)
        cell[0] = value  # a list is one value, too
        values[places] = cell
    spread: list[Any] = values.tolist()
    return spread


def _chosen(values: list[Any], places: Ints) -> list[Any]:
    cells = np.empty(len(values), dtype=object)
    cells[:] = values
    chosen: list[Any] = cells[places].tolist()
    return chosen


def _optional(column: npt.NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in column.tolist()]  # noqa: PLR0124 - NaN


def _same_kind(values: tuple[Any, ...], value: Any) -> Any:
    """Return a value of an axis unchanged if all its values have one plain kind, else as text."""
    kinds = {type(each) for each in values}
    return value if kinds in ({int}, {bool}, {float}) else written(value)


def axis_column(axis: Axis) -> ResultColumn:
    """Return the values of an axis as tables have them: of one kind, or as text if kinds differ."""
    values = [_same_kind(axis.values, value) for value in axis.values]  # noqa: PD011
    return _of_types({type(value) for value in values}, values)


def _of_types(kinds: set[type], values: list[Any]) -> ResultColumn:
    """Return a column whose values have these types in the whole result."""
    kind = _KINDS.get(next(iter(kinds))) if len(kinds) == 1 else None
    if kind is not None:
        return ResultColumn(kind, values)
    return ResultColumn("string", [value if value is None else _text(value) for value in values])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(to_json_data(value))


def _flat(section: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every key of a machine by its dotted path."""
    for name, value in section.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
