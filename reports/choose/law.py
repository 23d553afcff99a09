"""Laws of regret and of event counts, fitted to the cells; errors are of cells left out."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import nnls

from gnomon.explore.learner_counts import CYCLES, count_terms, macros_of, phase_shares
from gnomon.explore.regret_law import (
    CONTEXT_LAWS,
    LEAST_REGRET,
    STATE,
    Conditions,
    Covariance,
    from_odds,
    setting_place,
    to_odds,
)
from gnomon.learn.kernels import Floats

Ints: TypeAlias = npt.NDArray[np.int_]

LEVEL = 0.95
"""Chance that one more cell lies within an interval."""
FEWEST_CELLS = 12
"""Cells without which there is no law of regret."""
SHARE_NEAR = 0.9
"""Share of left-out points whose variance a prediction may have."""
FEWEST_RUNS = 6
"""Runs without which there is no law of event counts."""
COVARIANCE = Covariance(
    {"d": 1.8, "arms": 1.1, "horizon": 1.3, "noise": 1.1, "rate": 0.1, "drift": 2.5, "samples": 2.0,
     "shared": 0.1, **dict.fromkeys(CONTEXT_LAWS, 0.67), STATE: 0.9},
    setting=0.35, linear=0.11, nugget=0.25, cell=0.055,
)  # fmt: skip
"""Of every law: chosen once, on cells left out of all learners together.

One covariance weighs the cells alike for all learners, which met the same systems there. So what is
common to them, such as a hard system, cancels where two learners are compared.
"""
_CEILINGS = (1.02, 1.1, 1.3, 2.0)  # over the largest regret
_SPLITS = ("", "n 5", "n 8", "n 15", "arms 8")
_IN_A_PART = 6
_LEAST_SCALE = 2e-3
_LEAST_SHARE = 3e-4  # of a count per cycle; rarer ones do not matter for energy

LAW_COLUMNS = ("learner", "settings", "cells", "points", "weights", "setting", "linear", "nugget",
               "cell", "ceiling", "mean", "error", "median_error", "median_deviation",
               "most_variance")  # fmt: skip
COUNT_COLUMNS = ("learner", "variant", "family", "phase", "count", "split", "terms", "error",
                 "median_error", "sizes")  # fmt: skip


def quantile(errors: Floats, level: float = LEVEL) -> float:
    """Return the size that one more error stays below with the chance ``level`` (conformal)."""
    ordered = np.sort(np.abs(errors))
    place = math.ceil((len(ordered) + 1) * level)
    return float(ordered[min(place, len(ordered)) - 1])


@dataclass(frozen=True)
class _Points:
    """The measured points of a policy, and left-out errors with each ceiling.

    Attributes:
        groups: number of the cell of each point.
        ends: whether a point is at the horizon of its cell.
    """

    places: Floats
    regrets: Floats
    groups: Ints
    ends: npt.NDArray[np.bool_]

    @cached_property
    def _inverse(self) -> npt.NDArray[np.floating[Any]]:
        return np.asarray(np.linalg.inv(COVARIANCE.measured(self.places, self.groups)))

    @cached_property
    def _tried(self) -> tuple["_LeftOut", ...]:
        return tuple(self._left_out(each * self.most) for each in _CEILINGS)

    @property
    def most(self) -> float:
        """The largest regret; a ceiling is above it and above that of uniform sampling."""
        return max(1.0, float(self.regrets.max()))

    def _left_out(self, ceiling: float) -> "_LeftOut":
        """Return the errors of predictions of each cell from all others."""
        odds = to_odds(self.regrets, ceiling)
        mean = float(odds.mean())
        errors, variances = _left_out(self._inverse, odds - mean, self.groups)
        predicted = np.array([from_odds(each, ceiling) for each in odds - errors])
        logs = np.log(np.maximum(self.regrets, LEAST_REGRET) / predicted)
        return _LeftOut(ceiling, mean, errors, variances, logs)

    def best(self, cells: npt.NDArray[np.bool_]) -> "_LeftOut":
        """Return what the ceiling with the least errors of the points of these cells leaves."""
        return min(self._tried, key=lambda each: float(np.mean(each.logs[cells] ** 2)))

    def scores(self) -> Floats:
        """Return errors at the horizons, relative to the scale of the errors of other cells.

        The other half of the cells chooses the ceiling, and gives the scale.
        """
        half = self.groups % 2 == 0
        found = np.empty(len(self.groups))
        for own in (half, ~half):
            chosen = self.best(~own)
            found[own] = chosen.deviations[own] / self.scale(chosen, ~own)
        return found[self.ends]

    def scale(self, of: "_LeftOut", cells: npt.NDArray[np.bool_]) -> float:
        """Return the root mean square of the errors at the horizons of these cells.

        Errors are in standard deviations of the process.
        """
        return float(np.sqrt(np.mean(of.deviations[cells & self.ends] ** 2)))


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """Errors of points that were left out, in log odds, and of log regret (``logs``)."""

    ceiling: float
    mean: float
    errors: Floats
    variances: Floats
    logs: Floats

    @property
    def deviations(self) -> Floats:
        """Errors in standard deviations of the process."""
        return np.asarray(self.errors / np.sqrt(self.variances))


def left_out(covariance: Floats, values: Floats, groups: Ints) -> tuple[Floats, Floats]:
    """Return errors and variances of predictions of each group from all others, in closed form."""
    return _left_out(np.linalg.inv(covariance), values, groups)


def _left_out(
    inverse: npt.NDArray[np.floating[Any]], values: Floats, groups: Ints
) -> tuple[Floats, Floats]:
    weighted = inverse @ values
    errors, variances = np.empty_like(values), np.empty_like(values)
    for group in np.unique(groups):
        own = np.flatnonzero(groups == group)
        spread = np.linalg.inv(inverse[np.ix_(own, own)])
        errors[own], variances[own] = spread @ weighted[own], np.diag(spread)
    return errors, variances


def regret_laws(cells: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """Return a law for each policy with enough cells, as in ``laws.csv``."""
    where = {row["cell"]: Conditions.from_row(row) for row in _texts(cells)}
    weights = " ".join(f"{name}:{value:g}" for name, value in COVARIANCE.weights.items())
    laws = []
    for (learner, settings), own in points.groupby(["learner", "settings"], sort=False):
        numbers, rounds = own["cell"].to_numpy(dtype=np.int64), own["rounds"].astype(int).to_numpy()
        if len(np.unique(numbers)) < FEWEST_CELLS:
            continue
        at = [where[str(number)] for number in numbers]
        chosen = own["chosen"].astype(str).tolist()
        of = _Points(
            np.stack([np.concatenate([replace(each, horizon=int(n)).place(),
                                      setting_place(setting)])
                      for each, n, setting in zip(at, rounds, chosen, strict=True)]),
            own["regret"].to_numpy(dtype=float), numbers,
            np.array([each.horizon == n for each, n in zip(at, rounds, strict=True)]),
        )  # fmt: skip
        every = np.ones(len(numbers), dtype=bool)
        scores, found = of.scores(), of.best(every)
        laws.append((
            learner, settings, len(np.unique(numbers)), len(own), weights, COVARIANCE.setting,
            COVARIANCE.linear, COVARIANCE.nugget, COVARIANCE.cell, f"{found.ceiling:.4g}",
            f"{found.mean:.6g}", f"{quantile(scores) * of.scale(found, every):.4f}",
            f"{np.median(np.abs(found.errors[of.ends])):.4f}",
            f"{np.median(np.sqrt(found.variances[of.ends])):.4f}",
            f"{np.quantile(found.variances[of.ends], SHARE_NEAR):.4g}",
        ))  # fmt: skip
    return pd.DataFrame(laws, columns=list(LAW_COLUMNS))


def count_laws(cells: pd.DataFrame, priced: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each count of each phase of each implementation, as in ``counts.csv``.

    An interval is as wide as the errors of all implementations and those of its own require.
    """
    where = {row["cell"]: Conditions.from_row(row) for row in _texts(cells)}
    fitted = []
    for key, own in priced[priced["refused"] == ""].groupby(
        ["learner", "variant", "family"], sort=False
    ):
        named = phase_shares(str(own["learner"].iloc[0]), {}, 2, 1).keys()
        if own["cell"].nunique() >= FEWEST_RUNS and named == set(own["phase"]):
            fitted.append((key, *_fitted(own, where)))
    if not fitted:
        return pd.DataFrame(columns=list(COUNT_COLUMNS))
    halves = interval_halves([errors for *_, errors in fitted])
    rows: list[tuple[Any, ...]] = []
    for (key, split, phases, errors), half in zip(fitted, halves, strict=True):
        tail = f"{half:.4f}", f"{np.median(np.abs(errors)):.4f}", len(errors)
        rows += [
            (*map(str, key), phase, name, split, said, *tail)
            for phase, counts in phases.items()
            for name, said in counts.items()
            if said
        ]
    return pd.DataFrame(rows, columns=list(COUNT_COLUMNS))


def interval_halves(errors: Sequence[Floats]) -> list[float]:
    """Return the half width of the interval of each law from the errors of its left-out runs.

    A law has few runs, so the scale of its errors is at least the geometric mean of its own and the
    median one. A common quantile of all errors in such scales widens it, and no interval is
    narrower than the quantile of its own errors.
    """
    scales = np.array([max(_LEAST_SCALE, float(np.sqrt(np.mean(own**2)))) for own in errors])
    shrunk = np.maximum(scales, np.sqrt(scales * np.median(scales)))
    factor = quantile(np.concatenate([own / s for own, s in zip(errors, shrunk, strict=True)]))
    return [max(factor * s, quantile(own)) for own, s in zip(errors, shrunk, strict=True)]


def parse_counts(text: str) -> dict[str, float]:
    """Return counts by name from a text such as ``issued addi:12.5 wall_cycles:90``."""
    pairs = (each.rpartition(":") for each in text.split("; "))
    return {name: float(value) for name, _, value in pairs}


def _fitted(
    own: pd.DataFrame, where: Mapping[str, Conditions]
) -> tuple[str, dict[str, dict[str, str]], Floats]:
    """Return the split with the least errors, the terms by phase and count, and these errors."""
    rows: list[dict[str, Any]] = [
        {**row, "at": where[row["cell"]], "numbers": numbers}
        for row in _texts(own)
        if (numbers := parse_counts(row["counts"])).get(CYCLES, 0.0) > 0
    ]
    by_phase: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_phase.setdefault(str(row["phase"]), []).append(row)
    tried = []
    for split in _SPLITS:
        designs = {phase: _design(each, split) for phase, each in by_phase.items()}
        if split and any(_thin(*each) for each in designs.values()):
            continue
        tried.append((split, designs, _errors(rows, by_phase, designs)))
    split, designs, errors = min(tried, key=lambda each: float(np.mean(each[2] ** 2)))
    phases: dict[str, dict[str, str]] = {}
    for phase, each in by_phase.items():
        names, matrix = designs[phase]
        cycles = np.array([row["numbers"][CYCLES] for row in each])
        for name in sorted({name for row in each for name in row["numbers"]}):
            values = np.array([row["numbers"].get(name, 0.0) for row in each])
            factors = zip(names, _solve(matrix, values, cycles), strict=True)
            if values.sum() < _LEAST_SHARE * cycles.sum():
                continue
            said = " ".join(f"{term}:{value:.4g}" for term, value in factors if value > 0)
            phases.setdefault(phase, {})[name] = said
    return split, phases, errors


def _design(rows: list[dict[str, Any]], split: str) -> tuple[list[str], Floats]:
    found = [
        count_terms(row["learner"], row["phase"], row["machine"], row["family"], row["settings"],
                    row["at"].d, row["at"].arms, split)
        for row in rows
    ]  # fmt: skip
    names = list(dict.fromkeys(name for each in found for name in each))
    return names, np.array([[each.get(name, 0.0) for name in names] for each in found])


def _thin(names: list[str], matrix: Floats) -> bool:
    """Return whether a part of a split has too few sizes."""
    parts = [at for at, name in enumerate(names) if name.startswith("1@")]
    return bool(((matrix[:, parts] > 0).sum(axis=0) < _IN_A_PART).any())


def _solve(matrix: Floats, values: Floats, weights: Floats) -> Floats:
    """Return nonnegative factors; errors count relative to ``weights``."""
    relative = matrix / weights[:, None]
    lengths = np.linalg.norm(relative, axis=0)
    lengths[lengths == 0] = 1.0
    found: Floats = nnls(relative / lengths, values / weights, maxiter=10_000)[0] / lengths
    return found


def _errors(
    rows: list[dict[str, Any]], by_phase: Mapping[str, list[dict[str, Any]]],
    designs: Mapping[str, tuple[list[str], Floats]],
) -> Floats:  # fmt: skip
    """Return log(predicted / measured) of mean cycles of each cell, predicted without it."""
    errors = []
    for key in dict.fromkeys((row["cell"], row["machine"], row["settings"]) for row in rows):
        predicted = measured = 0.0
        for phase, each in by_phase.items():
            own = [at for at, row in enumerate(each)
                   if (row["cell"], row["machine"], row["settings"]) == key]  # fmt: skip
            if not own:
                continue
            row, matrix = each[own[0]], designs[phase][1]
            at = row["at"]
            macros = macros_of(row["learner"], row["chosen"], at.arms)
            shares = phase_shares(row["learner"], macros, at.arms, at.horizon)
            rest = np.array([other["cell"] != key[0] for other in each])
            cycles = np.array([other["numbers"][CYCLES] for other in each])
            factors = _solve(matrix[rest], cycles[rest], cycles[rest])
            predicted += shares[phase] * float(matrix[own[0]] @ factors)
            measured += shares[phase] * float(cycles[own[0]])
        if predicted > 0 and measured > 0:
            errors.append(math.log(predicted / measured))
    return np.array(errors)


def _texts(table: pd.DataFrame) -> Iterator[dict[str, str]]:
    for row in table.to_dict("records"):
        yield {str(name): str(value) for name, value in row.items()}
