"""Laws of regret and of event counts, fitted to the cells; errors are of cells left out."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from gnomon.explore.learner_counts import CYCLES, count_terms, macros_of, phase_shares
from gnomon.explore.regret_law import Conditions, Covariance, to_odds
from gnomon.learn.kernels import Floats

LEVEL = 0.95
"""Chance that one more cell lies within an interval."""
FEWEST_CELLS = 12
"""Cells without which there is no law of regret."""
SHARE_NEAR = 0.9
"""Share of left-out points whose variance a prediction may have."""
FEWEST_RUNS = 6
"""Runs without which there is no law of event counts."""
_GRID = tuple(
    Covariance(length, category, linear, nugget)
    for length, category, linear, nugget in product(
        (0.6, 1.2, 2.4), (0.5, 1.0), (1.0,), (0.003, 0.01, 0.03, 0.1)
    )
)
_SPLITS = ("", "n 5", "n 8", "n 15", "arms 8")
_IN_A_PART = 6
_LEAST_SCALE = 2e-3
_LEAST_SHARE = 3e-4  # of a count per cycle; rarer ones do not matter for energy

LAW_COLUMNS = ("learner", "settings", "cells", "points", "length", "category", "linear", "nugget",
               "mean", "error", "median_error", "median_deviation", "most_variance")  # fmt: skip
COUNT_COLUMNS = ("learner", "variant", "family", "phase", "count", "split", "terms", "error",
                 "median_error", "sizes")  # fmt: skip


def quantile(errors: Floats, level: float = LEVEL) -> float:
    """Return the size that one more error stays below with the chance ``level`` (conformal)."""
    ordered = np.sort(np.abs(errors))
    place = math.ceil((len(ordered) + 1) * level)
    return float(ordered[min(place, len(ordered)) - 1])


def left_out(covariance: Floats, values: Floats, groups: Floats) -> tuple[Floats, Floats]:
    """Return errors and variances of predictions of each group from all others, in closed form."""
    inverse = np.linalg.inv(covariance)
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
    laws = []
    for (learner, settings), own in points.groupby(["learner", "settings"], sort=False):
        if own["cell"].nunique() < FEWEST_CELLS:
            continue
        places = np.stack([
            replace(where[str(cell)], horizon=int(rounds)).place()
            for cell, rounds in zip(own["cell"], own["rounds"], strict=True)
        ])  # fmt: skip
        odds = to_odds(own["regret"].to_numpy(dtype=float))
        mean, groups = float(odds.mean()), own["cell"].to_numpy()
        tried = []
        for kernel in _GRID:
            covariance = kernel.between(places, places) + kernel.nugget * np.eye(len(odds))
            errors, variances = left_out(covariance, odds - mean, groups)
            tried.append((float(np.mean(errors**2)), kernel, errors, variances))
        _, kernel, errors, variances = min(tried, key=lambda each: each[0])
        laws.append((
            learner, settings, len(np.unique(groups)), len(own), kernel.length, kernel.category,
            kernel.linear, kernel.nugget, f"{mean:.6g}",
            f"{quantile(errors / np.sqrt(variances)):.4f}", f"{np.median(np.abs(errors)):.4f}",
            f"{np.median(np.sqrt(variances)):.4f}", f"{np.quantile(variances, SHARE_NEAR):.4g}",
        ))  # fmt: skip
    return pd.DataFrame(laws, columns=list(LAW_COLUMNS))


def count_laws(cells: pd.DataFrame, priced: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each count of each phase of each implementation, as in ``counts.csv``."""
    where = {row["cell"]: Conditions.from_row(row) for row in _texts(cells)}
    fitted = []
    for key, own in priced[priced["refused"] == ""].groupby(
        ["learner", "variant", "family"], sort=False
    ):
        if own["cell"].nunique() >= FEWEST_RUNS:
            fitted.append((key, *_fitted(own, where)))
    if not fitted:
        return pd.DataFrame(columns=list(COUNT_COLUMNS))
    scales = [max(_LEAST_SCALE, float(np.sqrt(np.mean(errors**2)))) for *_, errors in fitted]
    shrunk = np.sqrt(np.array(scales) * np.median(scales))
    factor = quantile(np.concatenate([
        errors / scale for (*_, errors), scale in zip(fitted, shrunk, strict=True)
    ]))  # fmt: skip
    rows: list[tuple[Any, ...]] = []
    for (key, split, phases, errors), scale in zip(fitted, shrunk, strict=True):
        tail = f"{factor * scale:.4f}", f"{np.median(np.abs(errors)):.4f}", len(errors)
        rows += [
            (*map(str, key), phase, name, split, said, *tail)
            for phase, counts in phases.items()
            for name, said in counts.items()
            if said
        ]
    return pd.DataFrame(rows, columns=list(COUNT_COLUMNS))


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
            macros = macros_of(row["chosen"], at.arms)
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
