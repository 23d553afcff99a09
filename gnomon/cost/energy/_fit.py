"""From measured activity and measured power to energies per toggle: what the data say, and not.

Power of a point = clock power + sum over groups of energy per toggle x toggles per second. All
parameters are zero or positive. The clock power is what does not follow the activity of the table:
clock tree and clock pins, accesses that happen in every cycle, switching that no net shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.base.interval import student_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping

Array = npt.NDArray[np.float64]

CLOCK = "clock"
MW_PER_PJ_HZ = 1e-9  # 1 pJ at 1 Hz is 1e-12 W
_PROBABILITY = 0.975  # intervals are two-sided, 95 %
_NEAR_COLLINEAR = 0.9
_WIDE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Measured operating points of one machine at one clock.

    Attributes:
        names: one per point.
        units: one per column of ``toggles_per_cycle``.
        toggles_per_cycle: shape (points, units).
        power_mw: shape (points,).
        clock_hz: clock of all points.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    toggles_per_cycle: Array
    power_mw: Array
    clock_hz: int

    def only(self, keep: Array) -> Points:
        """The points where ``keep`` is true."""
        names = tuple(name for name, kept in zip(self.names, keep, strict=True) if kept)
        return Points(
            names, self.units, self.toggles_per_cycle[keep], self.power_mw[keep], self.clock_hz
        )


@dataclass(frozen=True, slots=True)
class Parameter:
    """One fitted parameter with its 95 % interval.

    Attributes:
        name: ``clock``, or a group of units.
        units: of the group; empty for the clock.
        value: mW for the clock, pJ per toggle for a group.
        low: end of the interval, found by profiling: the others are refitted at each value.
        high: other end; infinite if the data set no limit.
    """

    name: str
    units: tuple[str, ...]
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of predicted power."""

    rms_mw: float
    mean_percent: float
    max_percent: float


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted model of power.

    Attributes:
        parameters: the clock first, then the groups.
        residual_mw: standard deviation of the residuals.
        degrees_of_freedom: points less parameters that are not zero.
        covariance: of the parameters, shape (parameters, parameters); zero where one is zero.
        fitted: errors at the points themselves.
        leave_one_out: errors at points that the fit has not seen.
        range_toggles_per_cycle: lowest and highest total activity of the points.
        not_identified: what the data do not say, in words.
    """

    parameters: tuple[Parameter, ...]
    residual_mw: float
    degrees_of_freedom: int
    covariance: Array
    fitted: Errors
    leave_one_out: Errors
    range_toggles_per_cycle: tuple[float, float]
    not_identified: tuple[str, ...]


def errors_of(predicted_mw: Array, measured_mw: Array) -> Errors:
    """Errors of predictions."""
    relative = np.abs(predicted_mw / measured_mw - 1) * 100
    rms = float(np.sqrt(np.mean((predicted_mw - measured_mw) ** 2)))
    return Errors(rms, float(relative.mean()), float(relative.max()))


def design_of(
    toggles_per_cycle: Array,
    units: tuple[str, ...],
    groups: Mapping[str, tuple[str, ...]],
    clock_hz: float,
    weights: Mapping[str, float] | None = None,
) -> Array:
    """Columns of the model in mW per unit of the parameter, shape (points, 1 + groups).

    ``weights`` scale the energy per toggle of units within their group; 1 by default.
    """
    columns = [np.ones(len(toggles_per_cycle))]
    for members in groups.values():
        scale = np.array(
            [(1.0 if weights is None else weights[u]) if u in members else 0.0 for u in units]
        )
        columns.append(toggles_per_cycle @ scale * clock_hz * MW_PER_PJ_HZ)
    return np.stack(columns, axis=1)


def nonnegative_least_squares(design: Array, values: Array) -> Array:
    """The ``x >= 0`` that minimizes ``|design x - values|``.

    Columns are scaled to length 1 first, so that their units do not matter.

    Args:
        design: shape (points, parameters).
        values: shape (points,).
    """
    from scipy.optimize import nnls

    lengths = np.linalg.norm(design, axis=0)
    lengths[lengths == 0] = 1.0
    found: Array = nnls(design / lengths, values)[0] / lengths
    return found


def leave_one_out_mw(design: Array, power_mw: Array) -> Array:
    """Each point as predicted from all others."""
    predicted = np.empty(len(power_mw))
    for index in range(len(power_mw)):
        others = np.arange(len(power_mw)) != index
        predicted[index] = design[index] @ nonnegative_least_squares(
            design[others], power_mw[others]
        )
    return predicted


def fit_power(points: Points, groups: Mapping[str, tuple[str, ...]]) -> Fit:
    """Fit clock power and one energy per toggle for each group of units.

    Args:
        points: what was measured.
        groups: units by name of the group; a unit in no group has no energy of its own.

    Raises:
        GnomonError: too few points, or a group with an unknown unit.
    """
    _check(points, groups)
    design = design_of(points.toggles_per_cycle, points.units, groups, points.clock_hz)
    values = nonnegative_least_squares(design, points.power_mw)
    residuals = points.power_mw - design @ values
    freedom = len(points.names) - max(int((values > 0).sum()), 1)
    squares = float(residuals @ residuals)
    variance = squares / freedom
    covariance = _covariance(design, values) * variance
    limit = squares + variance * student_quantile(_PROBABILITY, freedom) ** 2
    names = [CLOCK, *groups]
    parameters = []
    for index, name in enumerate(names):
        low, high = _profile(design, points.power_mw, index, float(values[index]), limit)
        members = () if index == 0 else groups[name]
        parameters.append(Parameter(name, members, float(values[index]), low, high))
    totals = points.toggles_per_cycle.sum(axis=1)
    return Fit(
        parameters=tuple(parameters),
        residual_mw=float(np.sqrt(variance)),
        degrees_of_freedom=freedom,
        covariance=covariance,
        fitted=errors_of(design @ values, points.power_mw),
        leave_one_out=errors_of(leave_one_out_mw(design, points.power_mw), points.power_mw),
        range_toggles_per_cycle=(float(totals.min()), float(totals.max())),
        not_identified=_not_identified(design, parameters),
    )


def _check(points: Points, groups: Mapping[str, tuple[str, ...]]) -> None:
    for name, members in groups.items():
        for unit in members:
            if unit not in points.units:
                raise GnomonError(
                    f"group {name}: the activity has no unit {unit!r} (units:"
                    f" {', '.join(points.units)})"
                )
    needed = len(groups) + 3
    if len(points.names) < needed:
        raise GnomonError(
            f"{len(points.names)} points are too few to fit {len(groups) + 1} parameters and to"
            f" tell their error (at least {needed})"
        )


def _covariance(design: Array, values: Array) -> Array:
    """Inverse of the normal matrix over the parameters that are not zero."""
    free = values > 0
    result = np.zeros((len(values), len(values)))
    result[np.ix_(free, free)] = np.linalg.pinv(design[:, free].T @ design[:, free])
    return result


def _profile(
    design: Array, power_mw: Array, index: int, value: float, limit: float
) -> tuple[float, float]:
    """Where the sum of squares, all others refitted, reaches the limit on both sides."""
    others = [k for k in range(design.shape[1]) if k != index]
    column = design[:, index]
    largest = float(np.linalg.norm(column))
    if largest == 0.0:
        return 0.0, float("inf")

    def squares(at: float) -> float:
        rest = power_mw - at * column
        part = design[:, others]
        left = rest - part @ nonnegative_least_squares(part, rest)
        return float(left @ left)

    def cross(inside: float, outside: float) -> float:
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if squares(middle) <= limit else (inside, middle)
        return (inside + outside) / 2

    low = 0.0 if squares(0.0) <= limit else cross(value, 0.0)
    far = max(value, float(np.linalg.norm(power_mw)) / largest) * 4
    return low, cross(value, far)


def _not_identified(design: Array, parameters: list[Parameter]) -> tuple[str, ...]:
    found = []
    lengths = np.linalg.norm(design, axis=0)
    seen = lengths > 0
    for parameter, present in zip(parameters, seen, strict=True):
        if not present:
            found.append(f"{parameter.name}: no point has toggles there")
    rank = int(np.linalg.matrix_rank(design[:, seen] / lengths[seen]))
    if rank < seen.sum():
        found.append(
            f"the {int(seen.sum())} parameters as a whole: the points span {rank} directions only"
        )
    for index, parameter in enumerate(parameters):
        if not seen[index]:
            continue
        if parameter.low == 0.0:
            found.append(f"{parameter.name}: its interval reaches down to 0")
        elif parameter.high - parameter.low > 2 * _WIDE * parameter.value:
            found.append(f"{parameter.name}: its interval is wider than +-{_WIDE:.0%}")
    groups = [k for k in range(1, len(parameters)) if seen[k]]
    for a, b in combinations(groups, 2):
        together = _correlation(design[:, a], design[:, b])
        if abs(together) > _NEAR_COLLINEAR:
            found.append(
                f"{parameters[a].name} against {parameters[b].name}: their toggles go together"
                f" (correlation {together:.2f})"
            )
    return tuple(found)


def _correlation(a: Array, b: Array) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else 1.0
