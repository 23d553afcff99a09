"""Runs of the experiment: SoftUCB and rivals on the same environments; Figures 1, 2, Table 1."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from gnomon.base.content import content
from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.content.algorithms.softucb.arm_sets import ArmSets, join_arm_sets, synthetic_arm_sets
from gnomon.content.algorithms.softucb.index import confidence_width
from gnomon.content.algorithms.softucb.policy import OnlineSoftPolicy, Policy, SoftPolicy, play
from gnomon.learn.datasets import Ratings, read_jester, read_ratings
from gnomon.learn.kernels import Floats
from gnomon.report.study import Steps

from . import datasets, runs
from .checks import TABLE_1_CASES, check_formulas

TUNED_WIDTHS = (0.3, 0.6, 0.9, 1.2)
EPSILON = 0.05
"""Of epsilon-greedy, as published."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Environment in which policies are compared."""

    name: str  # of the comparison
    arm_sets: ArmSets = field(repr=False)  # the environments, those of one seed after one another
    rounds: int  # T
    seeds: int  # number of seeds
    thompson_variance: float = 1.0  # v2 of LinTS, as in the authors' scripts
    iterations: int = 50  # N of offline training

    @property
    def width(self) -> float:
        """Beta of equation (5) for this noise."""
        dimensions = self.arm_sets.features.shape[2]
        return confidence_width(dimensions, self.rounds, subgaussian=self.arm_sets.noise_std)


@dataclass(frozen=True, slots=True)
class Played:
    """Result of one policy."""

    policy: str  # its name
    regret: Floats = field(repr=False)  # cumulative, at ``stops``, mean of all environments
    final: Floats = field(repr=False)  # R(T) of each environment, (B)
    # the width it used or ended with, mean of the environments; None if it has none
    beta: float | None = None

    @property
    def mean(self) -> float:
        return float(self.final.mean())

    @property
    def standard_error(self) -> float:
        return float(self.final.std(ddof=1) / np.sqrt(len(self.final)))


@dataclass(frozen=True, slots=True)
class Comparison:
    """All policies in one setup."""

    setup: Setup
    stops: Floats = field(repr=False)  # rounds at which regret was recorded
    played: dict[str, Played]  # by name
    # mean width after each iteration of offline training
    beta_by_iteration: Floats = field(repr=False)
    regret_by_iteration: Floats = field(repr=False)  # mean R(T) of each iteration
    trained: Floats = field(repr=False)  # width of each environment after training
    online_beta: Floats = field(repr=False)  # mean width of the online learner at ``stops``

    def by_seed(self, policy: str) -> Floats:
        """Return the mean R(T) of the environments of each seed."""
        return np.asarray(self.played[policy].final.reshape(self.setup.seeds, -1).mean(axis=1))

    def ratio(self, policy: str, other: str) -> float:
        return self.played[policy].mean / self.played[other].mean


COMPARE_STEPS = 9 + len(TUNED_WIDTHS)
"""How often ``compare`` calls ``progress``."""


def compare(setup: Setup, seed: int, progress: Callable[[], None] = lambda: None) -> Comparison:
    """Train offline, then play all policies once in each environment."""
    arm_sets, rounds = setup.arm_sets, setup.rounds
    rng = np.random.default_rng(seed)
    training = runs.train(arm_sets, rounds, rng, iterations=setup.iterations)
    trained = training.trained
    progress()
    stops = np.unique(np.linspace(1, rounds, 129).round().astype(int))

    def run(name: str, policy: Policy, beta: float | None = None) -> Played:
        curve = play(arm_sets, policy, rounds, rng)
        if isinstance(policy, OnlineSoftPolicy):
            beta = float(policy.beta.mean())
        progress()
        return Played(name, curve[stops - 1].mean(axis=1), curve[-1], beta)

    played = [
        run("uniform", runs.UniformPolicy(arm_sets, rng)),
        run("linucb", runs.UpperBoundPolicy(arm_sets, rng, beta=setup.width), setup.width),
        run("linucb-growing", runs.UpperBoundPolicy(arm_sets, rng)),
        run("lints", runs.ThompsonPolicy(arm_sets, rng, variance=setup.thompson_variance)),
        run("epsilon-greedy", runs.EpsilonGreedyPolicy(arm_sets, rng, epsilon=EPSILON)),
        run("softucb-offline", SoftPolicy(arm_sets, rng, beta=trained), float(trained.mean())),
    ]
    online = {
        name: OnlineSoftPolicy(arm_sets, rng, rounds=rounds, **settings)
        for name, settings in runs.ONLINE.items()
    }
    played += [run(name, policy) for name, policy in online.items()]
    tuned = [
        run("linucb-tuned", runs.UpperBoundPolicy(arm_sets, rng, beta=width), width)
        for width in TUNED_WIDTHS
    ]
    played.append(min(tuned, key=lambda each: each.mean))
    return Comparison(
        setup, stops, {each.policy: each for each in played}, training.beta.mean(axis=1),
        training.regret.mean(axis=1), trained,
        np.array(online["softucb-online"].history)[stops - 1],
    )  # fmt: skip


_NOISES = (0.1, 0.1**0.5)


@dataclass(frozen=True, slots=True)
class SoftucbExperiment:
    """All results."""

    size: str  # ``small`` or ``full``
    formulas: dict[str, float]  # B1 to B5, by criterion
    comparisons: tuple[Comparison, ...]  # in the order of the page
    # ``regret`` by fixed width ``beta``, for each ``d``, ``rounds`` and ``noise_std``
    sweeps: pd.DataFrame
    divergence: pd.DataFrame  # training by the last round, ``beta`` and ``regret`` by eta
    # trained widths, see ``train_width``; None in the small size
    table_1: pd.DataFrame | None = None
    # ``share`` and ``beta`` by the rule for an empty L; None in the small size
    trap: pd.DataFrame | None = None
    data: dict[str, str] = field(default_factory=dict)  # where MovieLens and Jester came from


def published_widths() -> pd.DataFrame:
    """Return Table 1 of the paper: ``beta_trained`` and ``beta_theory`` by d and T."""
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


def _setups(size: str, ratings: Ratings | None, jokes: Floats | None) -> list[Setup]:
    if size == "small":
        few = range(100, 105)
        return [_synthetic("small", arms=20, dimensions=5, noise=0.1, rounds=256, seeds=few)]
    ratings = datasets.movielens_stand_in() if ratings is None else ratings
    jokes = datasets.jester_stand_in() if jokes is None else jokes
    return [
        _synthetic("mid", noise=0.1, rounds=1024, seeds=range(120, 125)),
        _synthetic("synthetic-d10", noise=0.5, rounds=2048, seeds=range(130, 133)),
        _synthetic("synthetic-d20", dimensions=20, noise=0.5, rounds=2048, seeds=range(140, 143)),
        Setup("movielens", datasets.movielens_arm_sets(ratings), 1024, 1, thompson_variance=0.2),
        Setup("jester", datasets.jester_arm_sets(jokes), 2048, 1, thompson_variance=0.3),
    ]


def run_softucb(
    size: str = "small",
    progress: Steps | None = None,
    keep: Keep = compute_uncached,
    *,
    movielens: Path | None = None,
    jester: Path | None = None,
) -> SoftucbExperiment:
    """Run a size; a data set without a file has a synthetic stand-in."""
    told, full = progress or Steps(), size == "full"
    ratings = read_ratings(movielens) if movielens else None
    jokes = read_jester(jester) if jester else None
    setups = _setups(size, ratings, None if jokes is None else jokes.ratings)
    cases = TABLE_1_CASES if full else TABLE_1_CASES[:1]
    told.plan(2 + COMPARE_STEPS * len(setups) + len(cases))
    told.plan(1 + len(_NOISES) * len(cases) if full else 0)
    formulas = check_formulas(published_widths()["beta_theory"].to_dict())
    told("formulas")
    comparisons = [
        *keep.each(
            partial(compare, setup, 900 + number, progress=partial(told, setup.name))
            for number, setup in enumerate(setups)
        )
    ]
    diverged = keep(runs.divergence)
    told("divergence")
    sweeps = [
        row
        for rows in told.count(
            ["regret over width"] * len(cases),
            keep.each(partial(runs.regret_over_width, d, rounds, 0.1) for d, rounds in cases),
        )
        for row in rows
    ]
    tables = {}
    if full:
        tables["trap"] = pd.DataFrame.from_dict(keep(runs.trap), orient="index")
        told("trap")
        columns = list(product(_NOISES, cases))
        tables["table_1"] = pd.DataFrame(
            told.count(
                ["Table 1"] * len(columns),
                keep.each(
                    partial(runs.train_width, d, rounds, noise) for noise, (d, rounds) in columns
                ),
            )
        )
    given = {"movielens": "synthetic stand-in", "jester": "synthetic stand-in"}
    if movielens and ratings:
        given["movielens"] = f"{movielens.name}, {len(ratings.values):,} ratings"
    if jester and jokes:
        given["jester"] = f"{jester.name}, {len(jokes.ratings):,} users; left out: " + (
            ", ".join(f"{len(each):,} {each.reason}" for each in jokes.left_out) or "none"
        )
    return SoftucbExperiment(
        size, formulas, tuple(comparisons), pd.DataFrame(sweeps),
        pd.DataFrame.from_dict(diverged, orient="index"),
        data=given, **tables,
    )  # fmt: skip
