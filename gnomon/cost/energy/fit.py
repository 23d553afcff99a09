"""Fit of energies per toggle to measured activity and power, with intervals.

Power of a point = clock power + sum over groups of energy per toggle x toggles per second. All
parameters are zero or positive. The clock power is independent of the activity in the table: clock
tree and clock pins, accesses in every cycle, switching that no net shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.interval import student_quantile
from gnomon.base.units import format_frequency
from gnomon.cost.energy._points import Array, Errors, Points
from gnomon.cost.energy._power_table import CLOCK, SCHEMA_VERSION

_PROBABILITY = 0.975  # intervals are two-sided, 95 %
_NEAR_COLLINEAR = 0.9
_WIDE = 0.5

WEIGHT_FACTOR = 3.0
"""Relative prices are sampled log-uniformly from 1/3 to 3."""

AS_WELL = 1.1
"""Limit on the leave-one-out error of an alternative set, relative to that of equal prices."""


@dataclass(frozen=True, slots=True)
class FitParameter:
    """One fitted parameter with its 95 % interval."""

    name: str  # `clock`, or a group of units
    units: tuple[str, ...]  # of the group; empty for the clock
    value: float  # mW for the clock, pJ per toggle for a group
    low: float  # from profiling: the other parameters are refitted at each value
    high: float  # infinite if the data give no limit


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A fitted model of power."""

    points: Points  # the fitted points
    parameters: tuple[FitParameter, ...]  # the clock first, then the groups
    residual_mw: float  # standard deviation of the residuals
    degrees_of_freedom: int  # points less parameters that are not zero
    covariance: Array  # shape (parameters, parameters); zero where a parameter is zero
    fitted: Errors  # at the points themselves
    leave_one_out: Errors  # at points that the fit has not seen
    range_toggles_per_cycle: tuple[float, float]  # total activity of the points
    not_identified: tuple[str, ...]  # parameters that the data do not determine, in words

    @classmethod
    def from_points(cls, points: Points, groups: Mapping[str, tuple[str, ...]]) -> Fit:
        """Fit clock power and one energy per toggle for each group of units.

        Args:
            points: the measured points.
            groups: units by name of the group; a unit in no group has no energy of its own.

        Raises:
            GnomonError: if there are too few points, or a group has an unknown unit.
        """
        _check(points, groups)
        design = points.design(groups)
        values = nonnegative_least_squares(design, points.power_mw)
        residuals = points.power_mw - design @ values
        freedom = len(points.names) - max(int((values > 0).sum()), 1)
        squares = float(residuals @ residuals)
        variance = squares / freedom
        limit = squares + variance * student_quantile(_PROBABILITY, freedom) ** 2
        parameters = []
        for index, (name, members) in enumerate({CLOCK: (), **groups}.items()):
            value = float(values[index])
            ends = _profile_interval(design, points.power_mw, index, value, limit)
            parameters.append(FitParameter(name, members, value, *ends))
        totals = points.toggles_per_cycle.sum(axis=1)
        return cls(
            points=points,
            parameters=tuple(parameters),
            residual_mw=float(np.sqrt(variance)),
            degrees_of_freedom=freedom,
            covariance=_compute_covariance(design, values) * variance,
            fitted=points.errors(design @ values),
            leave_one_out=_leave_one_out(design, points),
            range_toggles_per_cycle=(float(totals.min()), float(totals.max())),
            not_identified=_list_unidentified(design, parameters),
        )

    @property
    def student_quantile(self) -> float:
        """97.5 % quantile of Student's distribution, in ten digits, equal in all SciPy releases."""
        return float(f"{student_quantile(_PROBABILITY, self.degrees_of_freedom):.10g}")

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Units by name of the group."""
        return {each.name: each.units for each in self.parameters[1:]}

    def predict_mw(self, points: Points) -> Array:
        """Return the power of points from their activity, in mW, shape (points,)."""
        values = np.array([each.value for each in self.parameters])
        power_mw: Array = points.design(self.groups) @ values
        return power_mw


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """Price sets that fit about as well as those of a table, with random relative prices of units.

    The published powers do not determine the cost of a toggle in one unit relative to another. The
    sets give the spread of a prediction that depends on it.
    """

    seed: int  # of the samples
    drawn: int  # number of samples
    clock_mw: Array  # of each set, shape (sets,)
    pj_per_toggle: Array  # by unit, shape (sets, units)


def draw_alternatives(
    points: Points, groups: Mapping[str, tuple[str, ...]], *, draws: int, seed: int
) -> Alternatives:
    """Sample relative prices, fit the rest, and return the sets that meet ``AS_WELL``."""
    rng = np.random.default_rng(seed)
    reference = _leave_one_out(points.design(groups), points).rms_mw
    clocks, prices = [], []
    for _ in range(draws):
        drawn = WEIGHT_FACTOR ** rng.uniform(-1.0, 1.0, len(points.units))
        weights = dict(zip(points.units, drawn.tolist(), strict=True))
        design = points.design(groups, weights)
        if _leave_one_out(design, points).rms_mw > AS_WELL * reference:
            continue
        clock, *slopes = nonnegative_least_squares(design, points.power_mw)
        clocks.append(clock)
        by_unit = dict.fromkeys(points.units, 0.0)
        for slope, members in zip(slopes, groups.values(), strict=True):
            by_unit |= {unit: slope * weights[unit] for unit in members}
        prices.append([by_unit[unit] for unit in points.units])
    shape = (len(clocks), len(points.units))
    return Alternatives(seed, draws, np.array(clocks), np.array(prices).reshape(shape))


def nonnegative_least_squares(design: Array, values: Array) -> Array:
    """Return the ``x >= 0`` that minimizes ``|design x - values|``, shape (parameters,).

    Columns are first scaled to length 1, so that their units do not matter.

    Args:
        design: shape (points, parameters).
        values: shape (points,).
    """
    from scipy.optimize import nnls

    lengths = np.linalg.norm(design, axis=0)
    lengths[lengths == 0] = 1.0
    found: Array = nnls(design / lengths, values, maxiter=100 * design.shape[1])[0] / lengths
    return found


def _leave_one_out(design: Array, points: Points) -> Errors:
    """Return the errors of each point when it is predicted from all others."""
    predicted = np.empty(len(design))
    for index in range(len(design)):
        others = np.arange(len(design)) != index
        prices = nonnegative_least_squares(design[others], points.power_mw[others])
        predicted[index] = design[index] @ prices
    return points.errors(predicted)


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
            f"{len(points.names)} points are too few to fit {len(groups) + 1} parameters and"
            f" estimate their error (at least {needed})"
        )


def _compute_covariance(design: Array, values: Array) -> Array:
    """Return the inverse of the normal matrix over the parameters that are not zero."""
    free = values > 0
    result = np.zeros((len(values), len(values)))
    result[np.ix_(free, free)] = np.linalg.pinv(design[:, free].T @ design[:, free])
    return result


def _profile_interval(
    design: Array, power_mw: Array, index: int, value: float, limit: float
) -> tuple[float, float]:
    """Return both values at which the sum of squares, other parameters refitted, is the limit."""
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


def _list_unidentified(design: Array, parameters: list[FitParameter]) -> tuple[str, ...]:
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
        together = _correlate(design[:, a], design[:, b])
        if abs(together) > _NEAR_COLLINEAR:
            found.append(
                f"{parameters[a].name} against {parameters[b].name}: their toggles go together"
                f" (correlation {together:.2f})"
            )
    return tuple(found)


def _correlate(a: Array, b: Array) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size else 1.0


_DIGITS = 5
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


def format_power_table(fit: Fit, *, draws: int, seed: int, **about: object) -> str:
    """Return the YAML text of the power table of a fit; the same fit gives the same bytes.

    Args:
        fit: the fitted model.
        draws: number of alternative price sets to try.
        seed: seed of the draws.
        about: name, title, source, static; activity and data: the activity table and the operand
            values that it assumes; made_by: lines of the command.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    alternatives = draw_alternatives(fit.points, fit.groups, draws=draws, seed=seed)
    clock, *groups = fit.parameters
    prices = zip(alternatives.clock_mw, alternatives.pj_per_toggle, strict=True)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined,
        trim_blocks=True, keep_trailing_newline=True, autoescape=False,  # noqa: S701 - YAML
    )  # fmt: skip
    environment.filters |= {"n": _format_number, "word": _quote_if_needed, "quoted": _quote}
    return environment.get_template("power_table.yaml.j2").render(
        about, fit=fit, points=fit.points, clock=clock, groups=groups, alternatives=alternatives,
        rows=[(float(mw), *row.tolist()) for mw, row in prices],
        leave_one_out=fit.leave_one_out._asdict(),
        schema=SCHEMA_VERSION, clock_frequency=format_frequency(fit.points.clock_hz),
    )  # fmt: skip


def _format_number(value: float, digits: int = _DIGITS) -> str:
    if math.isinf(value):
        return ".inf"
    text = f"{value:.{digits}g}"
    # YAML 1.1 reads 1e-05 without a decimal point as text.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _quote_if_needed(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else _quote(text)


def _quote(text: str) -> str:
    return '"' + " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') + '"'
