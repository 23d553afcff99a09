"""Pareto front: points that no other point dominates; a recommended point, with reasons."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch.keys import written
from gnomon.arch.units import Unit, join_points
from gnomon.base.values import json_attributes
from gnomon.explore._result import Row, SweepResult
from gnomon.explore._spec import Sweep
from gnomon.explore.metrics import ENERGY_COLUMNS, Objective, format_quantity
from gnomon.explore.settings import Value

# A command that measures one point of a unit, at the end of a reason.
_UNIT_COMMAND = re.compile(
    r" \((?P<command>gnomon rtl unit [^()]*?) (synthesizes|measures)[^()]*\)"
)
_MOST_REASONS = 3  # reasons per sentence why a figure is unavailable


def costs_of(rows: Sequence[Row], objectives: Sequence[Objective]) -> npt.NDArray[np.float64]:
    """Return the objectives of each point, less is better; NaN if unavailable."""
    values = [[row.metric(each.metric) for each in objectives] for row in rows]
    signs = [1.0 if each.minimize else -1.0 for each in objectives]
    return np.array(values, dtype=np.float64).reshape(len(rows), len(objectives)) * signs


def pareto_front(costs: npt.NDArray[np.float64]) -> list[int]:
    """Return the indices of the rows that no other row dominates, in order.

    A row dominates another if it is nowhere worse and somewhere better. Equal rows are all on the
    front; rows with NaN are not.
    """
    known = np.flatnonzero(~np.isnan(costs).any(axis=1))
    if not known.size or not costs.shape[1]:
        return []
    # Sorted by the first objective, only an earlier row can dominate a row, or its equal.
    order = known[np.lexsort(costs[known].T[::-1])]
    front: list[int] = []
    best = np.empty((0, costs.shape[1]))
    for place in order:
        row = costs[place]
        dominated = (best <= row).all(axis=1) & (best < row).any(axis=1)
        if not dominated.any():
            front.append(int(place))
            best = np.vstack([best, row])
    return sorted(front)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Front and recommendation, of all points or of points with some values of ``Sweep.per``."""

    # these values by axis, and kind and library of the energy if points differ; empty: all points
    where: tuple[tuple[str, Value], ...]
    points: int  # number of measured points
    meeting: int  # number of points that meet every constraint
    # the Pareto front of the latter, in grid order, over all objectives that some of them have;
    # points that lack one of these are not on it, which the sentence states
    front: tuple[Row, ...]
    take: Row | None  # the recommended point; None if no point meets the constraints
    sentence: str  # the recommendation in words

    def to_json(self) -> dict[str, Any]:
        """Return the recommendation as JSON-compatible data; points by their number."""
        return json_attributes(self, "points meeting sentence") | {
            "where": {name: written(value) for name, value in self.where},
            "front": [row.index for row in self.front],
            "take": None if self.take is None else self.take.index,
        }


OF_ENERGY = "energy"
"""Key in ``where`` for a recommendation within one kind and library of energy."""
_UNKNOWN_ENERGY = "not known"


def ranks_energy(sweep: Sweep) -> bool:
    """Return whether points are ranked or constrained by an energy or a power."""
    used = [each.metric for each in sweep.objectives] + [each.metric for each in sweep.constraints]
    return any(metric.name in ENERGY_COLUMNS for metric in used)


def recommend(result: SweepResult) -> tuple[Recommendation, ...]:
    """Return a front and a recommended point for each combination of values of ``per``.

    They are in grid order. If an objective or a constraint is an energy, each kind and library has
    its own.
    """
    names = [axis.name for axis in result.sweep.axes]
    places = [names.index(name) for name in result.sweep.per]
    separate = ranks_energy(result.sweep) and len(result.technologies) > 1
    groups: dict[tuple[tuple[str, Value], ...], list[Row]] = {}
    for row in result.rows:
        where = [(names[place], row.values[place]) for place in places]
        if separate and not row.failed:
            where.append((OF_ENERGY, row.technology or _UNKNOWN_ENERGY))
        groups.setdefault(tuple(where), []).append(row)
    # Failed points have no kind: they form their own group only if no other points exist.
    per = len(places)
    measured = {where[:per] for where in groups if len(where) > per}
    return tuple(
        _choice(result, where, rows)
        for where, rows in groups.items()
        if len(where) > per or where not in measured
    )


def _choice(
    result: SweepResult, where: tuple[tuple[str, Value], ...], rows: Sequence[Row]
) -> Recommendation:
    measured = [row for row in rows if not row.failed]
    meeting = [row for row in measured if result.meets(row)]
    objectives = _known(result, meeting)
    costs = costs_of(meeting, objectives)
    places = pareto_front(costs)
    take = meeting[places[_nearest_to_best(costs[places])]] if places else None
    return Recommendation(
        where=where,
        points=len(measured),
        meeting=len(meeting),
        front=tuple(meeting[place] for place in places),
        take=take,
        sentence=_sentence(result, where, measured, meeting, take),
    )


def _known(result: SweepResult, rows: Sequence[Row]) -> list[Objective]:
    """Return the objectives that are available for some rows."""
    return [
        objective
        for objective in result.sweep.objectives
        if any(row.metric(objective.metric) is not None for row in rows)
    ]


def _left_out(objective: Objective, meeting: Sequence[Row], known: Sequence[Objective]) -> str:
    """Return a sentence on points that lack an objective, with reasons; empty if none does."""
    metric = objective.metric
    rows = [row for row in meeting if row.metric(metric) is None]
    if not rows:
        return ""
    notes = (row.outcome.notes.items() for row in rows)
    of_metric = ([why for name, why in each if metric.name.startswith(name)] for each in notes)
    found = [each[0] for each in of_metric if each]
    reasons = Counter(_UNIT_COMMAND.sub("", why) for why in found)
    shown = [
        why if count == len(rows) else f"{count:,}: {why}"
        for why, count in reasons.most_common(_MOST_REASONS)
    ]
    if len(reasons) > len(shown):
        shown.append(f"{len(reasons) - len(shown):,} more, see the results")
    shown += _join_unit_commands(rows, found)
    why = f" ({'; '.join(shown)})" if shown else ""
    if objective in known:
        return f" Not compared: {len(rows):,} points, whose {metric.word} is not known{why}."
    alone = " and ".join(each.metric.word for each in known)
    return f" {metric.word.capitalize()} is not known{why}: this is by {alone} alone."


def _join_unit_commands(rows: Sequence[Row], reasons: Sequence[str]) -> list[str]:
    """Return one command per unit that measures the points of which reasons name a command."""
    commands = {each["command"] for why in reasons for each in _UNIT_COMMAND.finditer(why)}
    points: dict[str, list[Unit]] = {}
    for task in [row.task for row in rows if row.task is not None]:
        for unit in task.architecture.units:
            if unit.command in commands:
                points.setdefault(unit.name, []).append(unit)
    return [f"gnomon rtl unit {name}{join_points(each)}" for name, each in points.items()]


def _nearest_to_best(costs: npt.NDArray[np.float64]) -> int:
    """Return the row whose ratios to the best of each column have the least geometric mean.

    Of equal rows, the first. A column with values of 0 or below counts by its range instead.
    """
    badness = np.zeros(len(costs))
    for column in costs.T:
        if column.min() > 0:
            badness += np.log(column / column.min())
        elif column.max() > column.min():
            badness += (column - column.min()) / (column.max() - column.min())
    return int(np.argmin(badness))


def _sentence(
    result: SweepResult,
    where: tuple[tuple[str, Value], ...],
    measured: Sequence[Row],
    meeting: Sequence[Row],
    take: Row | None,
) -> str:
    sweep = result.sweep
    limits = ", ".join(constraint.text for constraint in sweep.constraints)
    start = f"for {_values(where)}: " if where else ""
    if not measured:
        return f"{start}no point could be measured."
    objectives = _known(result, meeting)
    if take is None and meeting:
        unknown = [each.metric for each in sweep.objectives if each not in objectives]
        names = " and ".join(metric.word for metric in unknown) or "an objective"
        return f"{start}no point can be recommended: {names} is not known."
    if take is None:
        unsure = sum(map(result.unsure, measured))
        of = f"; of {unsure:,} it is not known" if 0 < unsure < len(measured) else ""
        keeps = "is known to keep" if unsure else "keeps"
        return f"{start}no point {keeps} {limits}{of}; {_nearest_miss(result, measured)}."
    figures = []
    for objective in objectives:
        value = take.metric(objective.metric)
        assert value is not None
        known = [v for row in meeting if (v := row.metric(objective.metric)) is not None]
        best = min(known) if objective.minimize else max(known)
        text = f"{objective.metric.word} {take.shown(objective.metric)}"
        superlative = "least" if objective.minimize else "most"
        if value == best:
            text += f" (the {superlative})"
        elif best:
            text += f" ({value / best:.2f} times the {superlative})"
        figures.append(text)
    kept = f"; keeps {limits}, as {len(meeting):,} of {len(measured):,} points do" if limits else (
        f", of {len(measured):,} points"
    )  # fmt: skip
    unsure = sum(map(result.unsure, measured))
    kept += f"; of {unsure:,} it is not known" if unsure else ""
    left_out = _overlaps(take, meeting, objectives)
    left_out += "".join(_left_out(each, meeting, objectives) for each in sweep.objectives)
    return f"{start}take {_varying(result, take, sweep.per)}: {', '.join(figures)}{kept}.{left_out}"


def _overlaps(take: Row, meeting: Sequence[Row], objectives: Sequence[Objective]) -> str:
    """Return a sentence on intervals that overlap that of the recommended point."""
    words = []
    for metric in dict.fromkeys(each.metric for each in objectives):
        ends, value = take.interval(metric), take.metric(metric)
        others = [row.interval(metric) for row in meeting if row.metric(metric) != value]
        if ends and any(each and each[0] <= ends[1] and ends[0] <= each[1] for each in others):
            words.append(metric.word)
    if not words:
        return ""
    return (
        f" Intervals of {' and '.join(words)} overlap: errors common to the points keep their"
        " order, others may change it."
    )


def _nearest_miss(result: SweepResult, measured: Sequence[Row]) -> str:
    """Return the point that misses the constraints least, with the distance."""

    def worst(row: Row) -> float:
        return max(each.miss(row.metric(each.metric)) for each in result.sweep.constraints)

    nearest = min(measured, key=worst)
    if worst(nearest) == float("inf"):
        unknown = [each.metric.word for each in result.sweep.constraints
                   if nearest.metric(each.metric) is None]  # fmt: skip
        return f"{' and '.join(dict.fromkeys(unknown)) or 'a limit'} is not known"
    missed = []
    for each in result.sweep.constraints:
        value = nearest.metric(each.metric)
        if value is not None and not each.met_by(value):
            missed.append(f"{each.metric.word} is {format_quantity(each.metric, value)}")
    return f"nearest is {_varying(result, nearest)}, where {' and '.join(missed)}"


def _values(values: Sequence[tuple[str, Value]]) -> str:
    return ", ".join(f"{name} {written(value)}" for name, value in values) or "the only point"


def _varying(result: SweepResult, row: Row, but: Sequence[str] = ()) -> str:
    """Return the values of a point on the axes with two or more values."""
    pairs = zip(result.sweep.axes, row.values, strict=True)
    return _values(
        [(axis.name, v) for axis, v in pairs if len(axis.values) > 1 and axis.name not in but]
    )
