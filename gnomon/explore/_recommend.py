"""Pareto front: points that no other point dominates; a recommended point, with reasons."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch.keys import written
from gnomon.arch.units import Unit, join_points
from gnomon.base.values import json_attributes
from gnomon.explore._outcomes import PointOutcome
from gnomon.explore._result import SweepResult
from gnomon.explore._spec import Sweep
from gnomon.explore.columns import (
    Bools,
    Ints,
    PointTable,
    Row,
    find_meeting,
    find_misses,
    find_unsure,
    in_order,
    list_members,
)
from gnomon.explore.metrics import ENERGY_COLUMNS, Metric, Objective, format_quantity
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
    best = np.empty((0, costs.shape[1]))  # on the front so far, equal ones once
    for start in range(0, len(order), _BLOCK):
        block = order[start : start + _BLOCK]
        for part in range(0, len(best), _BLOCK):
            block = block[~_dominated(costs[block], best[part : part + _BLOCK])]
        for place in block.tolist():
            row = costs[place]
            if len(best) and (best[-1] == row).all():
                front.append(place)
            elif not _dominated(row[None], best).any():
                front.append(place)
                best = np.vstack([best, row])
    return sorted(front)


_BLOCK = 512


def _dominated(rows: npt.NDArray[np.float64], by: npt.NDArray[np.float64]) -> Bools:
    """Return whether each row is dominated by another one."""
    no_worse = np.all(by[None] <= rows[:, None], axis=2)
    better = np.any(by[None] < rows[:, None], axis=2)
    dominated: Bools = np.any(no_worse & better, axis=1)
    return dominated


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
    points, sweep = result.points, result.sweep
    names = [axis.name for axis in sweep.axes]
    places = [names.index(name) for name in sweep.per]
    technologies, technology = points.technology
    groups, _ = points.groups(places)
    separate = ranks_energy(sweep) and len(technologies) > 1
    if separate:
        # 0: failed; then a number of each kind and library, and one of those that are not known
        own = np.where(technology < 0, len(technologies), technology) + 1
        groups, _ = in_order(groups * (len(technologies) + 2) + np.where(points.failed, 0, own))
    found: list[tuple[tuple[tuple[str, Value], ...], Ints]] = []
    for members in list_members(groups):
        values = sweep.point(int(points.numbers[members[0]]))
        where = [(names[place], values[place]) for place in places]
        if separate and not points.failed[members[0]]:
            kind = technology[members[0]]
            where.append((OF_ENERGY, technologies[kind] if kind >= 0 else _UNKNOWN_ENERGY))
        found.append((tuple(where), members))
    # Failed points have no kind: they form their own group only if no other points exist.
    per = len(places)
    measured = {where[:per] for where, _ in found if len(where) > per}
    return tuple(
        _choice(result, points, where, members)
        for where, members in found
        if len(where) > per or where not in measured
    )


@dataclass(frozen=True, slots=True)
class _Group:
    """Measured points of a recommendation, and those of them that meet every constraint."""

    result: SweepResult
    measured: PointTable
    meeting: PointTable
    objectives: tuple[Objective, ...]  # those that are available for some of the latter

    @property
    def unsure(self) -> int:
        """Number of points whose constraints are undecided."""
        return int(find_unsure(self.measured).sum())


def _choice(
    result: SweepResult, points: PointTable, where: tuple[tuple[str, Value], ...], members: Ints
) -> Recommendation:
    measured = members[~points.failed[members]]
    meeting = measured[find_meeting(points.take(measured))]
    chosen = points.take(meeting)
    known = [not np.isnan(chosen.column(each.metric)).all() for each in result.sweep.objectives]
    objectives = tuple(compress(result.sweep.objectives, known)) if len(meeting) else ()
    costs = _columns_of(chosen, objectives)
    places = pareto_front(costs)
    take = result.rows[meeting[places[_nearest_to_best(costs[places])]]] if places else None
    group = _Group(result, points.take(measured), chosen, objectives)
    return Recommendation(
        where=where,
        points=len(measured),
        meeting=len(meeting),
        front=tuple(result.rows[place] for place in meeting[places].tolist()),
        take=take,
        sentence=_sentence(group, where, take),
    )


def _columns_of(points: PointTable, objectives: Sequence[Objective]) -> npt.NDArray[np.float64]:
    """Return the objectives of each point, less is better; NaN if unavailable."""
    costs = np.empty((len(points), len(objectives)))
    for column, each in enumerate(objectives):
        costs[:, column] = points.column(each.metric) * (1.0 if each.minimize else -1.0)
    return costs


def _left_out(group: _Group, objective: Objective) -> str:
    """Return a sentence on points that lack an objective, with reasons; empty if none does."""
    metric, meeting = objective.metric, group.meeting
    rows = meeting.take(np.isnan(meeting.column(metric)))
    if not len(rows):
        return ""
    found = rows.tally(partial(_find_note, metric))
    reasons = Counter[str]()
    for why, count in found.items():
        reasons[_UNIT_COMMAND.sub("", why)] += count
    shown = [
        why if count == len(rows) else f"{count:,}: {why}"
        for why, count in reasons.most_common(_MOST_REASONS)
    ]
    if len(reasons) > len(shown):
        shown.append(f"{len(reasons) - len(shown):,} more, see the results")
    shown += _join_unit_commands(rows, metric)
    why = f" ({'; '.join(shown)})" if shown else ""
    if objective in group.objectives:
        return f" Not compared: {len(rows):,} points, whose {metric.word} is not known{why}."
    alone = " and ".join(each.metric.word for each in group.objectives)
    return f" {metric.word.capitalize()} is not known{why}: this is by {alone} alone."


def _find_note(metric: Metric, outcome: PointOutcome) -> str | None:
    """Return the reason why a metric is unavailable."""
    return next((why for name, why in outcome.notes.items() if metric.name.startswith(name)), None)


def _find_unit_commands(metric: Metric, outcome: PointOutcome) -> tuple[str, ...]:
    """Return the commands that the reason why a metric is unavailable names."""
    found = _UNIT_COMMAND.finditer(_find_note(metric, outcome) or "")
    return tuple(each["command"] for each in found)


def _join_unit_commands(rows: PointTable, metric: Metric) -> list[str]:
    """Return one command per unit that measures the points of which reasons name a command."""
    find = partial(_find_unit_commands, metric)
    commands = {command for each in rows.tally(find) for command in each}
    points: dict[str, list[Unit]] = {}
    for unit in rows.take(rows.told(lambda each: bool(find(each))).astype(bool)).list_units():
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


def _sentence(group: _Group, where: tuple[tuple[str, Value], ...], take: Row | None) -> str:
    result, measured, meeting = group.result, group.measured, group.meeting
    sweep = result.sweep
    limits = ", ".join(constraint.text for constraint in sweep.constraints)
    start = f"for {_values(where)}: " if where else ""
    if not len(measured):
        return f"{start}no point could be measured."
    if take is None and len(meeting):
        unknown = [each.metric for each in sweep.objectives if each not in group.objectives]
        names = " and ".join(metric.word for metric in unknown) or "an objective"
        return f"{start}no point can be recommended: {names} is not known."
    unsure = group.unsure
    if take is None:
        of = f"; of {unsure:,} it is not known" if 0 < unsure < len(measured) else ""
        keeps = "is known to keep" if unsure else "keeps"
        return f"{start}no point {keeps} {limits}{of}; {_nearest_miss(result, measured)}."
    figures = []
    for objective in group.objectives:
        value = take.metric(objective.metric)
        assert value is not None
        known = meeting.column(objective.metric)
        best = float(np.nanmin(known) if objective.minimize else np.nanmax(known))
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
    kept += f"; of {unsure:,} it is not known" if unsure else ""
    left_out = _overlaps(group, take) + "".join(_left_out(group, each) for each in sweep.objectives)
    return f"{start}take {_varying(result, take, sweep.per)}: {', '.join(figures)}{kept}.{left_out}"


def _overlaps(group: _Group, take: Row) -> str:
    """Return a sentence on intervals that overlap that of the recommended point."""
    words = []
    for metric in dict.fromkeys(each.metric for each in group.objectives):
        ends = take.interval(metric)
        if ends is None:
            continue
        low, high = group.meeting.interval(metric)
        other = group.meeting.column(metric) != take.metric(metric)
        if (other & (low <= ends[1]) & (ends[0] <= high)).any():
            words.append(metric.word)
    if not words:
        return ""
    return (
        f" Intervals of {' and '.join(words)} overlap: errors common to the points keep their"
        " order, others may change it."
    )


def _nearest_miss(result: SweepResult, measured: PointTable) -> str:
    """Return the point that misses the constraints least, with the distance."""
    worst = np.zeros(len(measured))
    for limit in result.sweep.constraints:
        worst = np.maximum(worst, find_misses(measured, limit))
    nearest = measured[int(np.argmin(worst))]
    if worst.min() == float("inf"):
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
