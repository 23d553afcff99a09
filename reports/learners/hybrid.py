"""LinUCB hybrid against LinUCB disjoint, on rewards with and without weights that arms share.

Each run has a random system of its own, of the sizes of the problem `linear`, whose rewards are
drawn as LinUCB hybrid assumes.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gnomon.learn import Rounds
from gnomon.learn.environment import ContextLaw

from .horizons import HORIZONS, tuned_regrets
from .paired import against, correct_over_table
from .problems import LINEAR, Given

CONTEXTS: dict[str, ContextLaw] = {"uniform": "uniform", "zero-mean": "normal"}
"""Distributions of contexts, and of features of arms."""


def hybrid_table(first_seed: int, runs: int, first_training: int, training: int) -> pd.DataFrame:
    """Return regret of both learners by contexts, shared weights and horizon, and corrected p."""
    rows = list[dict[str, Any]]()
    for (contexts, law), shared in product(CONTEXTS.items(), (True, False)):
        draw = partial(_drawn, law, shared)
        problem = replace(LINEAR, draw=draw)
        trained, played = (
            _runs(draw, first, count)
            for first, count in ((first_training, training), (first_seed, runs))
        )
        hybrid, disjoint = (
            tuned_regrets(problem, name, trained, played)
            for name in ("linucb-hybrid", "linucb-disjoint")
        )
        rows += [
            {"contexts": contexts, "shared": shared, "horizon": horizon,
             "hybrid": float(hybrid[:, at].mean()), "disjoint": float(disjoint[:, at].mean()),
             **against(hybrid[:, at] - disjoint[:, at])}
            for at, horizon in enumerate(HORIZONS)
        ]  # fmt: skip
    return correct_over_table(rows)


def _runs(draw: Callable[[int, int], Given], first: int, count: int) -> list[Given]:
    return [draw(max(HORIZONS), seed) for seed in range(first, first + count)]


def _drawn(law: ContextLaw, shared: bool, rounds: int, seed: int) -> Given:
    """Return a run of a system of its own; features that rewards ignore have another generator."""
    sizes = {"rounds": rounds, "arms": LINEAR.arms, "dimensions": LINEAR.d}
    if shared:
        of = Rounds.linear(**sizes, features=LINEAR.f, seed=seed, law=law)
        return Given(of.contexts, of.expected, of.noise, of.arm_features)
    of, rng = Rounds.linear(**sizes, seed=seed, law=law), np.random.default_rng((seed, 1))
    draw = rng.uniform if law == "uniform" else rng.normal
    return Given(of.contexts, of.expected, of.noise, draw(size=(LINEAR.arms, LINEAR.f)))
