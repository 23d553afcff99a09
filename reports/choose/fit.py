"""Cost models from measured costs by non-negative least squares, with simultaneous intervals.

A model is fitted to sizes of the grid. Leave-one-out errors choose its terms and the scale of its
errors. Other sizes decide only the width of an interval in such scales. They are sampled as
held-out ones are, and no model was fitted to them (split-conformal prediction).
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from gnomon.explore.learner_costs import MODELED, CostModel, read_cost_models
from gnomon.explore.learner_terms import lanes_of, length, terms
from gnomon.learn.kernels import Floats

from .law import quantile

LEVEL = 0.95
"""Chance that a size lies within the intervals of all quantities at once."""
FEWEST = 2
"""Sizes left out that an interval may rest on; with fewer there is no law."""
SPLITS = ("", "n 5", "n 8", "n 15", "n 5 15", "arms 8", "arms 15", "arms 22")
"""Tried for each law; what predicts sizes left out best is taken."""
_IN_A_PART = 6  # sizes, or it is not split
_LEAST_SCALE = 1e-3  # some models predict RAM to the byte

COLUMNS = (
    "learner", "variant", "family", "settings", "quantity", "split", "terms", "error",
    "median_error", "low_n", "low_arms", "built", "refused", "sizes",
)  # fmt: skip


_WAYS = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])


def design(own: pd.DataFrame, quantity: str, split: str) -> tuple[list[str], Floats]:
    """Return the names of the terms, and a row of them for each size."""
    rows = [
        terms(each["learner"], quantity, each["n"], each["arms"],
              lanes_of(each["machine"], each["family"]), split)
        for each in own.to_dict("records")
    ]  # fmt: skip
    names = list(dict.fromkeys(name for row in rows for name in row))
    return names, np.array([[row.get(name, 0.0) for name in names] for row in rows])


def solve(matrix: Floats, values: Floats) -> Floats:
    """Return nonnegative factors with the least sum of squares of relative errors."""
    relative = matrix / values[:, None]
    lengths = np.linalg.norm(relative, axis=0)
    lengths[lengths == 0] = 1.0  # of a part that has no size
    found: Floats = nnls(relative / lengths, np.ones(len(values)), maxiter=10_000)[0] / lengths
    return found


def left_out(matrix: Floats, values: Floats, sizes: Floats) -> Floats:
    """Return log(predicted / measured) of each size between others, predicted from the others.

    ``sizes``: n and arms, (sizes, 2). Between: others are, in all four ways, at least or at most as
    large in n and in arms. Corners of the grid are left out, as they need extrapolation.
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


def law_of(own: pd.DataFrame, quantity: str) -> tuple[str, str, Floats]:
    """Return the split with the least leave-one-out errors, its terms, and these errors."""
    values, sizes = own[quantity].to_numpy(dtype=float), own[["n", "arms"]].to_numpy(dtype=float)
    found: list[tuple[float, str, str, Floats]] = []
    for split in SPLITS:
        names, matrix = design(own, quantity, split)
        parts = [at for at, name in enumerate(names) if name.startswith("1@")]
        is_small = ((matrix[:, parts] > 0).sum(axis=0) < _IN_A_PART).any()
        if split and (quantity == "flash_bytes" or is_small):
            continue
        errors = left_out(matrix, values, sizes)
        factors = zip(names, solve(matrix, values), strict=True)
        said = " ".join(f"{name}:{value:.5g}" for name, value in factors if value)
        found.append((float(np.sqrt(np.mean(errors**2))), split, said, errors))
    return min(found, key=lambda each: each[0])[1:]


def score(law: CostModel | None, row: Mapping[Any, Any]) -> float:
    """Return the largest error of a measured size, in half widths of the model's intervals.

    A size that does not build scores 0 if the model predicts this. Without a model the score is
    infinite.
    """
    if law is None:
        return math.inf
    settings, d, arms = row["settings"], row["d"], row["arms"]
    if row["refused"]:
        return 0.0 if law.refuses(settings, d, arms) else math.inf
    said = {name: law.cost(name, row["machine"], settings, d, arms).value for name in MODELED}
    return max(
        abs(math.log(max(value, 1e-9) / row[name])) / law.error[name]
        for name, value in said.items()
    )


def widening(scores: Iterable[float]) -> float:
    """Return the factor on half widths for one more size to lie within with the chance LEVEL.

    The least score that leaves LEVEL of one more than there are below it: Papadopoulos et al. 2002.
    """
    ordered = sorted(scores)
    place = math.ceil((len(ordered) + 1) * LEVEL)
    return ordered[place - 1] if place <= len(ordered) else math.inf


def laws(grid: pd.DataFrame, calibration: pd.DataFrame) -> pd.DataFrame:
    """Return a row per quantity and implementation, as in ``models/learners/costs.csv``."""
    found = pd.DataFrame(list(_rows(_filled(grid))), columns=[*COLUMNS, "least"])
    least = found.pop("least").astype(float)
    # A model has few sizes to estimate its error from, so it shrinks halfway to the usual error.
    scale = found["error"].astype(float)
    found["error"] = np.sqrt(scale * scale.groupby(found["quantity"]).transform("median"))
    known = by_key(found)
    rows = _filled(calibration).to_dict("records")
    factor = widening(score(known.get(key_of(row)), row) for row in rows)
    # No interval is narrower than the errors of the sizes that were left out of its own model.
    found["error"] = [
        f"{max(factor * error, own):.4f}" for error, own in zip(found["error"], least, strict=True)
    ]
    return found


def by_key(table: pd.DataFrame) -> dict[tuple[str, str, str], CostModel]:
    """Return cost models by learner, variant and family."""
    return {(law.learner, law.variant, law.family): law for law in read_cost_models(texts(table))}


def texts(table: pd.DataFrame) -> list[dict[str, str]]:
    """Return rows with their cells as text."""
    return [{str(k): str(v) for k, v in row.items()} for row in table.to_dict("records")]


def key_of(row: Mapping[Any, Any]) -> tuple[str, str, str]:
    """Return the key of the cost model of a measured size."""
    return row["learner"], row["variant"], row["family"]


def _filled(measured: pd.DataFrame) -> pd.DataFrame:
    measured = measured.fillna({"settings": "", "refused": ""})
    columns = (measured[name] for name in ("learner", "settings", "d", "arms"))
    return measured.assign(n=[length(*row) for row in zip(*columns, strict=True)])


def _rows(grid: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    for key, each in grid.groupby(["learner", "variant", "family"], sort=False):
        own = each[each["refused"] == ""]
        sizes = own[["n", "arms"]].to_numpy(dtype=float)
        about = (
            own["n"].min(), own["arms"].min(),
            _ends(own, 1), _ends(each[each["refused"] != ""], -1), len(own),
        )  # fmt: skip
        if len(left_out(np.ones((len(own), 1)), np.ones(len(own)), sizes)) < FEWEST:
            continue
        settings = " | ".join(dict.fromkeys(each["settings"]))
        for quantity in MODELED:
            split, said, errors = law_of(own, quantity)
            scale = max(_LEAST_SCALE, float(np.sqrt(np.mean(errors**2))))
            yield (*key, settings, quantity, split, said, scale,
                   f"{np.median(np.abs(errors)):.4f}", *about, quantile(errors))  # fmt: skip


def _ends(sizes: pd.DataFrame, sign: int) -> str:
    """Return (n, arms) that no other exceeds in both; with -1, that exceed no other."""
    pairs = sorted(set(zip(sizes["n"], sizes["arms"], strict=True)))
    return " ".join(
        f"{n}x{arms}"
        for n, arms in pairs
        if not any(
            sign * a >= sign * n and sign * b >= sign * arms and (a, b) != (n, arms)
            for a, b in pairs
        )
    )
