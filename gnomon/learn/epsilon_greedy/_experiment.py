"""The experiment ``bento-epsilon-greedy``: logarithmic regret, its limits, baselines, scaling."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import known
from gnomon.base.kept import anew
from gnomon.learn._trace import unrecorded
from gnomon.learn.epsilon_greedy._environment import (
    bernoulli_bandit,
    doubled_bandit,
    skewed_bandit,
    unit_bandit,
)
from gnomon.learn.epsilon_greedy._instance import Instance, play_instance
from gnomon.learn.epsilon_greedy._linrel import LinRel
from gnomon.learn.epsilon_greedy._linucb_batch import linucb_regrets
from gnomon.learn.epsilon_greedy._simulate import (
    EPOCHS,
    Schedule,
    constant,
    falling,
    simulate_exploring,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.base.kept import Keep
    from gnomon.learn.epsilon_greedy._environment import FiniteRounds, Noise
    from gnomon.learn.kernels import Floats


@dataclass(frozen=True, slots=True)
class BentoSize:
    """How large the experiment is.

    Attributes:
        rounds: T of the instances.
        p: of the instances.
        seeds: of the weights of the instances.
        runs: of each instance.
        full: also the sweep over p, skewed contexts, scaling, doubled rewards, and all baselines.
    """

    name: str
    rounds: int
    p: int
    seeds: tuple[int, ...]
    runs: int
    full: bool


BENTO_SIZES = {
    "small": BentoSize("small", 20_000, 300, tuple(range(5000, 5020)), 10, full=False),
    "full": BentoSize("full", 100_000, 1000, tuple(range(6000, 6010)), 10, full=True),
}

SWEEP_P = (12, 30, 100, 300, 1000, 3000)
SWEEP_SEEDS = (1000, 1001, 1002)
SKEW_P = (30, 100, 300, 1000, 3000)
SKEW_INVERSE_ODDS = (2, 5, 10, 20, 50)
SCALING = ((3, 6), (5, 6), (8, 6), (8, 12))
BASELINE_ROUNDS = 20_000
_SWEEP_ROUNDS = 100_000


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """Regret of one learner over 20,000 rounds, mean over 5 bandits of 2 runs.

    Attributes:
        algorithm: in words.
        noise: law of the rewards.
        regret: mean of R(T).
        error: standard error of the mean.
        curve: mean regret after each step.
    """

    algorithm: str
    noise: Noise
    regret: float
    error: float
    curve: Floats = field(repr=False)


@dataclass(frozen=True, slots=True)
class SkewRow:
    """Two contexts, one with odds 1 / I, 20 bandits.

    Attributes:
        inverse_odds: I.
        p: weight of exploration.
        ratio: regret of exploited steps over that of explored ones, sums over all bandits.
        without: bandits whose exploited steps give less than 1 % of their regret.
    """

    inverse_odds: int
    p: int
    ratio: float
    without: int


@dataclass(frozen=True, slots=True)
class ScalingRow:
    """The paper's example at larger sizes, p = 100 K."""

    dimensions: int
    arms: int
    regret: float
    predicted: float


@dataclass(frozen=True, slots=True)
class BentoExperiment:
    """All results.

    Attributes:
        size: that was asked for.
        instances: normal noise.
        doubled: rewards uniform between 0 and twice their mean; full size only.
        sweep: over p, likewise; full size only.
        growth: R(T) / ln T at 10^5 rounds over that at 10^4, p = 300; full size only.
        skewed: full size only.
        baselines: learners by regret.
        scaling: full size only.
    """

    size: BentoSize
    instances: tuple[Instance, ...]
    doubled: tuple[Instance, ...]
    sweep: tuple[Instance, ...]
    growth: tuple[float, ...]
    skewed: tuple[SkewRow, ...]
    baselines: tuple[BaselineRow, ...]
    scaling: tuple[ScalingRow, ...]


def find_bento_size(name: str) -> BentoSize:
    """The size of this name.

    Raises:
        GnomonError: there is none.
    """
    return BENTO_SIZES[known("size", name, BENTO_SIZES)]


def bento_steps(size: BentoSize) -> int:
    """How many times ``progress`` is called."""
    more = 2 * len(size.seeds) + len(SWEEP_P) * len(SWEEP_SEEDS) + len(SKEW_P) + len(SCALING) + 2
    return more if size.full else len(size.seeds) + 1


def run_bento(
    size: BentoSize, progress: Callable[[str], None] = lambda _: None, keep: Keep = anew
) -> BentoExperiment:
    """Run the experiment; the same size gives the same numbers on the same machine.

    Args:
        size: what to run.
        progress: told what has been done.
        keep: makes each result, or takes it from where it is kept.
    """

    def told(instance: Instance, what: str) -> Instance:
        progress(what)
        return instance

    def play(*, doubled: bool) -> tuple[Instance, ...]:
        return tuple(
            told(
                keep(
                    play_instance,
                    doubled_bandit(seed=seed) if doubled else unit_bandit(seed=seed),
                    seed=seed,
                    rounds=size.rounds,
                    p=size.p,
                    runs=size.runs,
                ),
                "doubled rewards" if doubled else "normal noise",
            )
            for seed in size.seeds
        )

    instances = play(doubled=False)
    baselines = keep(_baselines, "normal", full=size.full)
    progress("baselines")
    if not size.full:
        return BentoExperiment(size, instances, (), (), (), (), baselines, ())
    sweep = tuple(
        told(
            keep(
                play_instance,
                doubled_bandit(seed=seed),
                seed=index,
                rounds=_SWEEP_ROUNDS,
                p=p,
                runs=size.runs,
            ),
            f"p = {p}",
        )
        for p in SWEEP_P
        for index, seed in enumerate(SWEEP_SEEDS)
    )
    more = keep(_baselines, "double", full=True)
    progress("baselines")
    return BentoExperiment(
        size=size,
        instances=instances,
        doubled=play(doubled=True),
        sweep=sweep,
        growth=tuple(_growth(row) for row in sweep if row.p == 300),
        skewed=_skewed(progress, keep),
        baselines=(*baselines, *more),
        scaling=_scaling(progress, keep),
    )


def _growth(row: Instance) -> float:
    tenth = row.rounds // 10
    return row.regret / log(row.rounds) / (float(row.curve[tenth - 1]) / log(tenth))


def _baselines(noise: Noise, *, full: bool) -> tuple[BaselineRow, ...]:
    runs = [
        unit_bandit(seed=theta, noise=noise).draw(BASELINE_ROUNDS, seed=10 * theta + run)
        for theta in range(5)
        for run in range(2)
    ]
    schedules: dict[str, Schedule] = {}
    for p in (30, 100, 300):
        schedules[f"epsilon-greedy, p = {p}"] = falling(p)
    for p in (100, 300):
        schedules[f"epsilon-greedy, p = {p}, ridge 1"] = falling(p, ridge=1.0)
    for epsilon in (0.05, 0.1):
        schedules[f"constant epsilon = {epsilon}"] = constant(epsilon)
    schedules["epoch-greedy"] = EPOCHS
    schedules["uniform"] = constant(1.0)
    regrets = {
        name: np.array(
            [
                simulate_exploring(run, schedule, seed=index).regrets
                for index, run in enumerate(runs)
            ]
        )
        for name, schedule in schedules.items()
    }
    for alpha in (1.0, 0.3) if full else (1.0,):
        regrets[f"disjoint LinUCB, alpha = {alpha:g}"] = linucb_regrets(runs, alpha)
    if full:
        regrets["LinRel, alpha = 1"] = np.array([_linrel(run) for run in runs])
    rows = []
    for name, each in regrets.items():
        totals = each.sum(axis=1)
        error = float(totals.std(ddof=1) / np.sqrt(len(totals)))
        curve: Floats = np.cumsum(each.mean(axis=0))
        rows.append(BaselineRow(name, noise, float(totals.mean()), error, curve))
    return tuple(rows)


def _linrel(rounds: FiniteRounds) -> Floats:
    bandit = rounds.bandit
    learner = LinRel(arms=bandit.arms, dimensions=bandit.dimensions)
    arms = np.empty(len(rounds.which), dtype=np.int64)
    with unrecorded():
        for step, which in enumerate(rounds.which):
            context = bandit.contexts[which]
            arms[step] = arm = learner.select(context)
            reward = rounds.rewards(np.array([step]), np.array([arm]))[0]
            learner.update(context, arm, float(reward))
    regrets: Floats = bandit.gaps[rounds.which, arms]
    return regrets


def _skewed(progress: Callable[[str], None], keep: Keep) -> tuple[SkewRow, ...]:
    rows = []
    for p in SKEW_P:
        rows += [keep(_skew_row, inverse_odds, p) for inverse_odds in SKEW_INVERSE_ODDS]
        progress(f"skewed contexts, p = {p}")
    return tuple(rows)


def _skew_row(inverse_odds: int, p: int) -> SkewRow:
    """Twenty bandits of three runs each."""
    explored, exploited = np.zeros(20), np.zeros(20)
    for theta in range(20):
        bandit = skewed_bandit(inverse_odds=inverse_odds, seed=theta)
        for run in range(3):
            seed = 100 * theta + run
            played = simulate_exploring(
                bandit.draw(_SWEEP_ROUNDS, seed=seed), falling(p), seed=seed
            )
            explored[theta] += played.regrets[played.explored].sum()
            exploited[theta] += played.regrets[~played.explored].sum()
    without = int((exploited < 0.01 * (explored + exploited)).sum())
    ratio = float(exploited.sum() / explored.sum())
    return SkewRow(inverse_odds, p, ratio, without)


def _scaling(progress: Callable[[str], None], keep: Keep) -> tuple[ScalingRow, ...]:
    rows = []
    for dimensions, arms in SCALING:
        p = 100 * arms
        found = [
            keep(
                play_instance,
                bernoulli_bandit(dimensions=dimensions, arms=arms, seed=seed, noise="normal"),
                seed=seed,
                rounds=_SWEEP_ROUNDS,
                p=p,
                runs=1,
            )
            for seed in range(10)
        ]
        predicted = [
            each.p * each.uniform_regret * (1 + log(each.rounds / each.p)) for each in found
        ]
        regret = float(np.mean([each.regret for each in found]))
        rows.append(ScalingRow(dimensions, arms, regret, float(np.mean(predicted))))
        progress(f"d = {dimensions}, K = {arms}")
    return tuple(rows)
