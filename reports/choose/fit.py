"""From measured costs to laws by non-negative least squares; intervals by leaving one size out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import nnls
from scipy.stats import t as student

from gnomon.explore.learners import QUANTITIES, lanes_of, length, terms
from gnomon.learn.kernels import Floats

LEVEL = 0.95
FEWEST = 2
"""Sizes left out that an interval may rest on; with fewer there is no law."""

COLUMNS = (
    "learner", "variant", "family", "settings", "quantity", "terms", "error", "median_error",
    "energy_spread", "low_n", "low_arms", "built", "refused", "sizes",
)  # fmt: skip


_WAYS = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])


def design(own: pd.DataFrame, quantity: str) -> tuple[list[str], Floats]:
    """Names of the terms, and a row of them for each size."""
    rows = []
    for each in own.to_dict("records"):
        lanes = lanes_of(each["machine"], each["family"])
        rows.append(terms(each["learner"], quantity, each["n"], each["arms"], lanes))
    return list(rows[0]), np.array([list(row.values()) for row in rows])


def solve(matrix: Floats, values: Floats) -> Floats:
    """Factors of 0 and more, of the least sum of squares of relative errors."""
    relative = matrix / values[:, None]
    lengths = np.linalg.norm(relative, axis=0)
    found: Floats = nnls(relative / lengths, np.ones(len(values)), maxiter=10_000)[0] / lengths
    return found


def left_out(matrix: Floats, values: Floats, sizes: Floats) -> Floats:
    """log(predicted / measured) of each size that lies between others, as predicted from them.

    ``sizes``: n and arms, (sizes, 2). Between: others are, in all four ways, at least or at most as
    large in n and in arms. To predict the corners of the grid would be to go beyond it.
    """
    errors = []
    for at, own in enumerate(sizes):
        others = np.arange(len(values)) != at
        rest = sizes[others]
        ways = [(rest * sign >= own * sign).all(axis=1).any() for sign in _WAYS]
        if all(ways):
            predicted = matrix[at] @ solve(matrix[others], values[others])
            errors.append(np.log(max(predicted, 1e-9) / values[at]))
    return np.array(errors)


def half_width(errors: Floats) -> float:
    """Of an interval for log(measured / predicted) of one more size.

    From errors of sizes left out: Student's quantile of their mean square, or the largest if that
    is more. All four quantities of a size are within at once with the chance LEVEL: Bonferroni.
    """
    each = 1 - (1 - LEVEL) / len(QUANTITIES)
    spread = np.sqrt(np.mean(errors**2) * (1 + 1 / len(errors)))
    quantile = float(student.ppf((1 + each) / 2, len(errors)))
    return float(max(quantile * spread, np.abs(errors).max()))


def laws(grid: pd.DataFrame) -> pd.DataFrame:
    """A row for each quantity of each implementation, as ``models/learners/costs.csv`` has it."""
    return pd.DataFrame(list(_rows(grid)), columns=list(COLUMNS))


def _rows(grid: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    grid = grid.fillna({"settings": "", "refused": ""})
    lengths = [
        length(*row) for row in zip(grid["learner"], grid["settings"], grid["d"], strict=True)
    ]
    grid = grid.assign(n=lengths)
    for key, each in grid.groupby(["learner", "variant", "family"], sort=False):
        own = each[each["refused"] == ""]
        sizes = own[["n", "arms"]].to_numpy(dtype=float)
        about = (
            f"{own['energy_spread'].max():.3g}", own["n"].min(), own["arms"].min(),
            _ends(own, 1), _ends(each[each["refused"] != ""], -1), len(own),
        )  # fmt: skip
        if len(left_out(np.ones((len(own), 1)), np.ones(len(own)), sizes)) < FEWEST:
            continue
        for quantity in QUANTITIES:
            names, matrix = design(own, quantity)
            values = own[quantity].to_numpy(dtype=float)
            found, errors = solve(matrix, values), left_out(matrix, values, sizes)
            said = " ".join(
                f"{name}:{value:.5g}" for name, value in zip(names, found, strict=True) if value
            )
            settings = " | ".join(dict.fromkeys(each["settings"]))
            yield (*key, settings, quantity, said, f"{half_width(errors):.4f}",
                   f"{np.median(np.abs(errors)):.4f}", *about)  # fmt: skip


def _ends(sizes: pd.DataFrame, sign: int) -> str:
    """Of (n, arms), those that no other exceeds in both; with -1, that exceed no other."""
    pairs = sorted(set(zip(sizes["n"], sizes["arms"], strict=True)))
    return " ".join(
        f"{n}x{arms}"
        for n, arms in pairs
        if not any(
            sign * a >= sign * n and sign * b >= sign * arms and (a, b) != (n, arms)
            for a, b in pairs
        )
    )
