"""Figures that statements need and no other study has: condition numbers, and the scaling of p."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import sqrt

import numpy as np
import pandas as pd

from gnomon.base.frames import frame, worded
from gnomon.base.tables import CsvRow
from gnomon.learn import Rounds
from gnomon.learn.kernels import Floats

FILE = "claims/measured.csv"
_COLUMNS = ("quantity", "setting", "value")

_ROUNDS, _ARMS, _DIMENSIONS = 100_000, 8, 8
_SCALES = (1.0, 0.01)
"""Largest and smallest scale of features whose units were not made equal."""

_BANDITS, _BANDIT_ARMS, _SHARE = 30, 6, 0.5
_SMALL, _LARGE = 4, 10
"""Dimensions at which every context is enumerated."""


def measure() -> pd.DataFrame:
    """Return one row per quantity and setting, seeded."""
    rows = [("condition_number", name, value) for name, value in _conditions().items()]
    least, gaps, needed = zip(*(_bandit(d) for d in (_SMALL, _LARGE)), strict=True)
    where = f"d = {_LARGE} over d = {_SMALL}, median of {_BANDITS} bandits"
    rows += [
        (name, where, float(large / small))
        for name, (small, large) in {
            "sigma_min_times_d": least, "delta_min_times_k_d_sqrt_w": gaps,
            "p_over_k3_d5": needed,
        }.items()
    ]  # fmt: skip
    return worded(frame(_COLUMNS, rows), {"value": ".3g"})


def measured_rows(table: pd.DataFrame) -> Mapping[str, Sequence[CsvRow]]:
    """Return the same as rows of a table, with the lines that they have in the written file."""
    return {
        FILE: [
            CsvRow(f"reports/{FILE}:{line}", {str(name): str(value) for name, value in row.items()})
            for line, row in enumerate(table.to_dict("records"), start=2)
        ]
    }


def _conditions() -> dict[str, float]:
    """Return condition numbers of A = I + sum of x x^T of one arm after its share of the rounds."""
    updates = _ROUNDS // _ARMS
    uniform, normal = (
        Rounds.linear(rounds=updates, arms=_ARMS, dimensions=_DIMENSIONS, seed=1, law=law).contexts
        for law in ("uniform", "normal")
    )
    contexts: dict[str, Floats] = {
        "uniform contexts": uniform,
        "normal contexts": normal,
        "features of scale 1 to 0.01": normal * np.geomspace(*_SCALES, _DIMENSIONS),
        "one context in all rounds": np.repeat(uniform[:1], updates, axis=0),
    }
    return {
        f"{name}, {updates:,} updates": float(np.linalg.cond(np.eye(_DIMENSIONS) + of.T @ of))
        for name, of in contexts.items()
    }


def _bandit(dimensions: int) -> tuple[float, float, float]:
    """Return medians over bandits of section 4.1, in the units of its orders of magnitude.

    Contexts are all binary vectors but 0, of w = 1/2 equally likely, normalized. The entries of a
    parameter are uniform in [0, 1], then normalized. Rewards deviate by at most sqrt(d), as L does.

    Returns:
        Sigma_min d; Delta_min K d sqrt(w); and p over K^3 d^5 with the constant of (4) left out.
    """
    rng = np.random.default_rng(dimensions)
    contexts = np.array(list(product((0.0, 1.0), repeat=dimensions))[1:])
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    moments = contexts.T @ contexts / len(contexts)
    least = float(np.linalg.eigvalsh(moments)[0])
    gaps = []
    for _ in range(_BANDITS):
        parameters = rng.uniform(size=(_BANDIT_ARMS, dimensions))
        parameters /= np.linalg.norm(parameters, axis=1, keepdims=True)
        values = np.sort(contexts @ parameters.T, axis=1)
        gaps.append(float((values[:, -1] - values[:, -2]).min()))
    gap = float(np.median(gaps))
    needed = _BANDIT_ARMS * dimensions / (gap * least) ** 2
    return (
        least * dimensions,
        gap * _BANDIT_ARMS * dimensions * sqrt(_SHARE),
        needed / (_BANDIT_ARMS**3 * dimensions**5),
    )
