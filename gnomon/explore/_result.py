"""Result of a sweep: one row per point, in grid order; and the whole result as columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.arch.keys import is_unit_key, key_paths, written
from gnomon.base.frames import Framed
from gnomon.base.values import to_json_data
from gnomon.explore._outcomes import PointOutcome
from gnomon.explore._runs import Counts
from gnomon.explore._spec import Sweep
from gnomon.explore._task import Task
from gnomon.explore.metrics import ENERGY_FACTS, METRICS, Metric, format_quantity, technology_of
from gnomon.explore.settings import BUILD, SETTINGS, Value

if TYPE_CHECKING:
    import pandas as pd

_KINDS = {int: "int64", bool: "bool", float: "float64"}
_SETTINGS = {"int": "int64", "bool": "bool"}


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
        names = (f"{metric.word}_{end}_{metric.unit}" for end in ("low", "high"))
        low, high = (self.outcome.metrics.get(name) for name in names)
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


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """Values of one kind, ``int64``, ``bool``, ``float64`` or ``string``; None: unavailable."""

    kind: str
    values: list[Any]


@dataclass(frozen=True, slots=True)
class SweepResult(Framed):
    """All visited points of a sweep."""

    sweep: Sweep  # the evaluated sweep
    rows: tuple[Row, ...]  # the points in grid order, including failed ones
    counts: Counts  # origin of the points; only this part depends on the cache

    def caption(self) -> str:
        """Return name, number of points, and number of failed points."""
        return f"{self.sweep.name}: {len(self.rows)} points, {len(self.failed)} failed"

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

    def columns(self) -> dict[str, ResultColumn]:
        """Return one value per point: number, axes, outcome, all settings, the whole machine.

        Columns: ``point``; ``axis.NAME`` as in the sweep; ``failed`` and ``reason``; ``meets`` all
            constraints; the metrics, null if unavailable; ``energy_kind``, ``energy_library`` and,
            for a stale table, ``energy_stale``: origin of the energy; ``note.NAME``: reason why a
            metric is unavailable; facts; the settings by name; every key of the machine by its
            dotted path, sizes in bytes, clock in hertz.
        all constraints; the metrics, null where unavailable; ``energy_kind``, ``energy_library``
        and, of a stale table, ``energy_stale``: what the energy is of; ``note.NAME``: why a metric
        is unavailable; facts; the settings by name; every key of the machine by its dotted path,
        sizes in bytes, clock in hertz.
        """
        rows, workload = self.rows, self.sweep.workload
        made = {"point": _column([row.index for row in rows])}
        for place, axis in enumerate(self.sweep.axes):
            given = [_same_kind(axis.values, row.values[place]) for row in rows]  # noqa: PD011 - no pandas
            made[f"axis.{axis.name}"] = _column(given)
        made["failed"] = _column([row.failed for row in rows])
        made["reason"] = _column([row.outcome.reason for row in rows])
        made["meets"] = _column([self.meets(row) for row in rows])
        for metric in METRICS:
            if workload in metric.of:
                made[metric.name] = ResultColumn("float64", [row.metric(metric) for row in rows])
        for name in ENERGY_FACTS:
            if name != "operands":  # a setting, below
                made[name] = ResultColumn(
                    "string", [row.outcome.facts.get(name) or None for row in rows]
                )
        for name in ("energy", "area", *(("regret",) if workload == "learner" else ())):
            made[f"note.{name}"] = ResultColumn(
                "string", [row.outcome.notes.get(name) for row in rows]
            )
        for name, kind in (("arm", "int64"), ("exit_code", "int64"), ("build", "string")):
            made[name] = ResultColumn(kind, [row.outcome.facts.get(name) for row in rows])
        for setting in SETTINGS[workload]:
            values = [None if row.task is None else row.task.setting(setting.name) for row in rows]
            if setting.name == "operands":  # assumption of the energy if the sweep does not set it
                assumed = [row.outcome.facts.get("operands") for row in rows]
                values = [a if v is None else v for v, a in zip(values, assumed, strict=True)]
            if setting not in BUILD or any(value is not None for value in values):
                texts = [_text(v) if isinstance(v, tuple) else v for v in values]
                made[setting.name] = ResultColumn(_SETTINGS.get(setting.kind, "string"), texts)
        machines = [
            dict(_flat(row.task.architecture.to_dict())) if row.task else {} for row in rows
        ]
        units = [key for machine in machines for key in machine if is_unit_key(key)]
        for key in (*(key for key in key_paths() if key != "units"), *dict.fromkeys(units)):
            made[f"arch.{key}"] = _column([machine.get(key) for machine in machines])
        return made

    @property
    def technologies(self) -> tuple[str, ...]:
        """Kinds and libraries of the points' energies, which are never ranked against each other.

        In grid order; with one or none, all energies are comparable.
        """
        return tuple(dict.fromkeys(row.technology for row in self.rows if row.technology))

    @property
    def failed(self) -> tuple[Row, ...]:
        """Points without metrics."""
        return tuple(row for row in self.rows if row.failed)

    def meets(self, row: Row) -> bool:
        """Return whether a point meets every constraint."""
        return not row.failed and all(
            limit.met_by(row.metric(limit.metric)) for limit in self.sweep.constraints
        )

    def unsure(self, row: Row) -> bool:
        """Return whether a constraint of a point is undecided, and the point misses no other."""
        values = [(limit, row.metric(limit.metric)) for limit in self.sweep.constraints]
        missed = any(value is not None and not limit.met_by(value) for limit, value in values)
        return not row.failed and not missed and any(value is None for _, value in values)

    def named(self, row: Row) -> dict[str, Any]:
        """Return the values of a point by axis."""
        return {
            axis.name: to_json_data(value)
            for axis, value in zip(self.sweep.axes, row.values, strict=True)
        }


def _same_kind(values: tuple[Any, ...], value: Any) -> Any:
    """Return a value of an axis unchanged if all its values have one plain kind, else as text."""
    kinds = {type(each) for each in values}
    return value if kinds in ({int}, {bool}, {float}) else written(value)


def _column(values: list[Any]) -> ResultColumn:
    """Return a column of the common kind of its values, or of text if kinds differ."""
    kinds = {type(value) for value in values if value is not None}
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
