"""The experiment ``softucb``: Figures 1 and 2, Table 1, and the acceptance criteria."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path

import pandas as pd

from gnomon.base.content import content
from gnomon.base.kept import Keep, anew
from gnomon.content.algorithms.softucb.arm_sets import join_arm_sets, synthetic_arm_sets
from gnomon.report.study import Steps

from .checks import TABLE_1_CASES, check_formulas
from .compare import COMPARE_STEPS, Comparison, Setup, compare
from .datasets import (
    jester_arm_sets,
    jester_stand_in,
    movielens_arm_sets,
    movielens_stand_in,
    read_jester,
    read_movielens,
)
from .runs import divergence, regret_over_width, train_width, trap

SIZES = {"small": "small", "full": "full"}
_NOISES = (0.1, 0.1**0.5)


@dataclass(frozen=True, slots=True)
class SoftucbExperiment:
    """All results."""

    size: str  # ``small`` or ``full``
    formulas: dict[str, float]  # B1 to B5, by criterion
    comparisons: tuple[Comparison, ...]  # in the order they are told
    # ``regret`` by fixed width ``beta``, for each ``d``, ``rounds`` and ``noise_std``
    sweeps: pd.DataFrame
    divergence: pd.DataFrame  # training by the last round, ``beta`` and ``regret`` by eta
    # trained widths, see ``train_width``; None in the small size
    table_1: pd.DataFrame | None = None
    # ``share`` and ``beta`` by the rule for an empty L; None in the small size
    trap: pd.DataFrame | None = None
    data: dict[str, str] = field(default_factory=dict)  # where MovieLens and Jester came from


def published_widths() -> pd.DataFrame:
    """Table 1 of the paper: ``beta_trained`` and ``beta_theory`` by d and T."""
    path = content("models", "published", "softucb.csv")
    rows = pd.read_csv(path, comment="#")
    widths = rows[rows["quantity"].str.startswith("beta_")]
    return widths.pivot_table("value", ["d", "T"], "quantity", sort=False)


def _synthetic(
    name: str, *, arms: int = 50, dimensions: int = 10, noise: float, rounds: int, seeds: range
) -> Setup:
    sets = [
        synthetic_arm_sets(count=10, arms=arms, dimensions=dimensions, noise_std=noise, seed=seed)
        for seed in seeds
    ]
    iterations = 15 if name == "small" else 50
    return Setup(name, join_arm_sets(sets), rounds, len(sets), iterations=iterations)


def _setups(size: str, movielens: Path | None, jester: Path | None) -> list[Setup]:
    if size == "small":
        few = range(100, 105)
        return [_synthetic("small", arms=20, dimensions=5, noise=0.1, rounds=256, seeds=few)]
    ratings = movielens_stand_in() if movielens is None else read_movielens(movielens)
    jokes = jester_stand_in() if jester is None else read_jester(jester)
    return [
        _synthetic("mid", noise=0.1, rounds=1024, seeds=range(120, 125)),
        _synthetic("synthetic-d10", noise=0.5, rounds=2048, seeds=range(130, 133)),
        _synthetic("synthetic-d20", dimensions=20, noise=0.5, rounds=2048, seeds=range(140, 143)),
        Setup("movielens", movielens_arm_sets(ratings), 1024, 1, thompson_variance=0.2),
        Setup("jester", jester_arm_sets(jokes), 2048, 1, thompson_variance=0.3),
    ]


def run_softucb(
    size: str = "small",
    progress: Steps | None = None,
    keep: Keep = anew,
    *,
    movielens: Path | None = None,
    jester: Path | None = None,
) -> SoftucbExperiment:
    """Run the experiment.

    Args:
        size: ``small``: seconds. ``full``: minutes.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept.
        movielens: a file of ratings; a synthetic stand-in if there is none.
        jester: the same for ratings of jokes.
    """
    told, full = progress or Steps(), size == "full"
    setups = _setups(size, movielens, jester)
    cases = TABLE_1_CASES if full else TABLE_1_CASES[:1]
    told.plan(2 + COMPARE_STEPS * len(setups) + len(cases))
    told.plan(1 + len(_NOISES) * len(cases) if full else 0)
    formulas = check_formulas(published_widths()["beta_theory"].to_dict())
    told("formulas")
    comparisons = [
        keep(compare, setup, 900 + number, progress=partial(told, setup.name))
        for number, setup in enumerate(setups)
    ]
    diverged = keep(divergence)
    told("divergence")
    sweeps = []
    for d, rounds in cases:
        sweeps += keep(regret_over_width, d, rounds, 0.1)
        told("regret over width")
    tables = {}
    if full:
        tables["trap"] = pd.DataFrame.from_dict(keep(trap), orient="index")
        told("trap")
        rows = []
        for noise, (d, rounds) in product(_NOISES, cases):
            rows.append(keep(train_width, d, rounds, noise))
            told("Table 1")
        tables["table_1"] = pd.DataFrame(rows)
    given = {"movielens": movielens, "jester": jester}
    return SoftucbExperiment(
        size,
        formulas,
        tuple(comparisons),
        pd.DataFrame(sweeps),
        pd.DataFrame.from_dict(diverged, orient="index"),
        data={name: path.name if path else "synthetic stand-in" for name, path in given.items()},
        **tables,
    )
