"""Orders that the fronts claim, and whether they hold on seeds by which nothing was chosen.

Two points of a front are ordered if the dearer one has significantly less regret: a paired test
of the same runs, by random signs of their differences (Fisher's), corrected for all pairs of all
fronts (Holm's). The same points are then played again on fresh seeds.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from gnomon.arch import load_architecture
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import find_embedded_learner

from .points import Comparison, Point, front, panels
from .problems import Entry, Given, Problem, regrets_of, settings_of

LEVEL = 0.05
_FLIPS = 50_000


def with_orders(comparison: Comparison, seed_base: int) -> Comparison:
    """Return ``orders``: all pairs of points of each front, the cheaper one first.

    Columns ``problem``, ``machine``, ``cheaper`` and ``better`` (titles of points), ``less``: mean
    difference of their regrets, ``p`` (corrected), ``claimed``; on fresh seeds ``fresh_less`` and
    ``fresh_p`` (of this pair alone), and ``held``: the better one has less regret there, too.
    """
    size, rows = comparison.size, list[dict[str, Any]]()
    for problem in comparison.problems:
        runs, fresh = (
            [problem.draw(size.rounds, base + 1 + at) for at in range(size.seeds)]
            for base in (0, seed_base)
        )
        for (of, machine), points in panels(comparison.points).items():
            if of != problem.name:
                continue
            best = [
                (point.title, _played(point, problem, machine, runs),
                 _played(point, problem, machine, fresh))
                for point in front(points)
            ]  # fmt: skip
            rows += [
                {"problem": of, "machine": machine, "cheaper": cheaper, "better": better,
                 "differences": one - other, "fresh": again - again_other}
                for (cheaper, one, again), (better, other, again_other) in combinations(best, 2)
            ]  # fmt: skip
    return replace(comparison, orders=judged(rows), seed_base=seed_base)


def judged(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return the differences of the runs as statistics; see :func:`with_orders`."""
    corrected = holm([sign_flips(row["differences"]) for row in rows]).tolist()
    table = [
        {**{name: row[name] for name in ("problem", "machine", "cheaper", "better")},
         "less": float(row["differences"].mean()), "p": p, "claimed": p <= LEVEL,
         "fresh_less": float(row["fresh"].mean()), "fresh_p": sign_flips(row["fresh"]),
         "held": bool(row["fresh"].mean() > 0)}
        for row, p in zip(rows, corrected, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(table)


def sign_flips(differences: Floats) -> float:
    """Return the probability of a mean as far from 0 if differences have random signs.

    All pairs with the same number of runs get the same signs.
    """
    signs = np.random.default_rng(len(differences)).choice((-1.0, 1.0), (_FLIPS, len(differences)))
    least = abs(differences.sum()) * (1.0 - 1e-12)  # equal but for the order of the sum
    return float((1 + (np.abs(signs @ differences) >= least).sum()) / (1 + _FLIPS))


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Adjust p values by Holm's step-down method, in their order."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    steps: Floats = np.asarray(p_values, dtype=np.float64)[order] * factors
    adjusted = np.empty_like(steps)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _played(point: Point, problem: Problem, machine: str, runs: Sequence[Given]) -> Floats:
    where, learner = load_architecture(machine), find_embedded_learner(point.learner)
    (setting,) = (each for each in settings_of(learner, problem) if each.title == point.setting)
    entry = Entry(problem, learner, learner.variant(point.variant, point.line), setting)
    return np.array(regrets_of(entry, runs, machine=where))
