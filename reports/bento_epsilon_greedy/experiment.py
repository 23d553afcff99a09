"""Runs of the experiment: logarithmic regret, its limits, other learners, more dimensions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.content.algorithms.bento_epsilon_greedy.baselines import LinRel
from gnomon.learn import Trace
from gnomon.learn.kernels import Floats
from gnomon.report.study import Steps

from . import bandits
from .bandits import FiniteBandit, FiniteRounds, Noise, doubled_bandit, unit_bandit
from .simulate import EPOCHS, constant, falling, linucb_regrets, simulate_exploring
from .theory import check_theory


@dataclass(frozen=True, slots=True)
class Size:
    """Size of the experiment."""

    name: str
    rounds: int  # T of the instances
    p: int  # of the instances
    seeds: tuple[int, ...]  # of the weights of the instances
    runs: int  # of each instance
    # also the sweep over p, skewed contexts, scaling, doubled rewards, and all baselines
    full: bool


SIZES = {
    "small": Size("small", 20_000, 300, tuple(range(5000, 5020)), 10, full=False),
    "full": Size("full", 100_000, 1000, tuple(range(6000, 6010)), 10, full=True),
}

SWEEP_P = (12, 30, 100, 300, 1000, 3000)
SWEEP_SEEDS = (1000, 1001, 1002)
SKEW_P = (30, 100, 300, 1000, 3000)
SKEW_INVERSE_ODDS = (2, 5, 10, 20, 50)
SCALING = ((3, 6), (5, 6), (8, 6), (8, 12))
BASELINE_ROUNDS = 20_000
_SWEEP_ROUNDS = 100_000
_SKEWED_BANDITS, _SKEWED_RUNS = 20, 3


@dataclass(frozen=True, slots=True)
class BentoExperiment:
    """All results, as tables; those from ``doubled`` on are empty in the small size."""

    size: Size  # the requested one
    instances: pd.DataFrame  # normal noise; see ``play_instance``
    # ``regret`` R(T) of each ``algorithm`` by ``noise``, mean over 5 bandits of 2 runs of 20,000
    # rounds, its ``standard_error``, and the mean ``curve``
    baselines: pd.DataFrame
    # of theorem 4.1, lemma 1 and section 4.2, by criterion; see ``check_theory``
    theory: dict[str, Floats]
    # instances with rewards uniform between 0 and twice their mean
    doubled: pd.DataFrame = field(default_factory=pd.DataFrame)
    # the same over p; ``growth`` is R(T) / ln T over that at a tenth of the rounds
    sweep: pd.DataFrame = field(default_factory=pd.DataFrame)
    # two contexts, one with odds 1 / I, 20 bandits of 3 runs, by ``inverse_odds`` I and ``p``:
    # ``ratio`` of regret of exploited steps to that of explored ones, number of bandits
    # ``without`` (less than 1 % from exploited steps), mean ``regret`` of a run
    skewed: pd.DataFrame = field(default_factory=pd.DataFrame)
    # the paper's example at larger sizes, p = 100 K: ``regret`` and ``predicted`` by ``d``
    # and ``arms``
    scaling: pd.DataFrame = field(default_factory=pd.DataFrame)

    def regret(self, noise: Noise) -> dict[str, float]:
        rows = self.baselines[self.baselines["noise"] == noise]
        return dict(zip(rows["algorithm"], rows["regret"], strict=True))


def run_bento(
    size: Size, progress: Steps | None = None, keep: Keep = compute_uncached
) -> BentoExperiment:
    """Run the experiment; the same size gives the same numbers on the same machine."""
    steps = progress or Steps()
    whole = {"rounds": size.rounds, "p": size.p, "runs": size.runs}
    instances = _play_each(
        steps, keep, "normal noise", [(unit_bandit(seed=seed), seed) for seed in size.seeds], whole
    )
    noises: tuple[Noise, ...] = ("normal", "double") if size.full else ("normal",)
    baselines = [
        row
        for rows in steps.count(
            ["baselines"] * len(noises),
            keep.each(partial(_baselines, noise, full=size.full) for noise in noises),
        )
        for row in rows
    ]
    tables = {"instances": instances, "baselines": baselines}
    if size.full:
        seeds = [(p, *each) for p in SWEEP_P for each in enumerate(SWEEP_SEEDS)]
        more = {"rounds": _SWEEP_ROUNDS, "runs": size.runs}
        tables["sweep"] = [*steps.count(
            [f"p = {p}" for p, _, _ in seeds],
            keep.each(
                partial(play_instance, doubled_bandit(seed=seed), seed=index, p=p, **more)
                for p, index, seed in seeds
            ),
        )]  # fmt: skip
        tables["doubled"] = _play_each(
            steps, keep, "doubled rewards",
            [(doubled_bandit(seed=seed), seed) for seed in size.seeds], whole,
        )  # fmt: skip
        tables["skewed"] = [*steps.count(
            [f"skewed contexts, p = {p}" for p in SKEW_P for _ in SKEW_INVERSE_ODDS],
            keep.each(
                partial(_skew_row, inverse_odds, p)
                for p in SKEW_P
                for inverse_odds in SKEW_INVERSE_ODDS
            ),
        )]  # fmt: skip
        tables["scaling"] = [
            _scaling_row(dimensions, arms, keep)
            for dimensions, arms in steps.over(SCALING, lambda at: f"d = {at[0]}, K = {at[1]}")
        ]
    seeds_42 = size.seeds if size.full else size.seeds[:3]
    theory = keep(check_theory, seeds_42, rounds=size.rounds, p=size.p)
    frames = {name: pd.DataFrame(rows) for name, rows in tables.items()}
    return BentoExperiment(size, theory=theory, **frames)


def _play_each(
    steps: Steps,
    keep: Keep,
    name: str,
    bandits_and_seeds: Sequence[tuple[FiniteBandit, int]],
    how: Mapping[str, int],
) -> list[dict[str, Any]]:
    """Return the result of :func:`play_instance` for each bandit with its seed."""
    calls = [partial(play_instance, bandit, seed=seed, **how) for bandit, seed in bandits_and_seeds]
    return [*steps.count([name] * len(calls), keep.each(calls))]


def play_instance(
    bandit: FiniteBandit, *, seed: int, rounds: int, p: int, runs: int
) -> dict[str, Any]:
    """Play ``runs`` runs with the seeds 100 ``seed`` + run; return their means.

    The predicted regret is p rho (1 + ln(T / p)).

    Returns:
        ``explored_ratio``: explored steps over p (1 + ln(T / p)). ``exploration_ratio``: regret of
        explored steps over predicted. ``regret``: R(T). ``regret_ratio``: over predicted.
        ``slope_ratio``: slope of regret over ln t on the last 90 % of the rounds, over p rho;
        ``fit_logarithm``: R^2 of that line; ``fit_line``: of one over t. ``bound_ratio``: R(T) over
        the bound of theorem 4.2. ``uniform_regret``: rho. ``curve``: regret after each step, (T).
        ``growth``: R(T) / ln T over that after a tenth of the rounds.
    """
    played = [
        simulate_exploring(bandit.draw(rounds, seed=each), falling(p), seed=each)
        for each in range(100 * seed, 100 * seed + runs)
    ]
    curve: Floats = np.mean([np.cumsum(run.regrets) for run in played], axis=0)
    explored = float(np.mean([run.explored.sum() for run in played]))
    exploration = float(np.mean([run.regrets[run.explored].sum() for run in played]))
    rho = bandit.uniform_regret
    expected = p * (1 + log(rounds / p))
    # From T / 10 on: a line over ln t, and one over t.
    tenth = rounds // 10
    steps, late = np.arange(tenth, rounds + 1, dtype=np.float64), curve[tenth - 1 :]
    slope, fit_logarithm = _line(np.log(steps), late)
    regret = float(curve[-1])
    return {
        "seed": seed, "p": p, "rounds": rounds,
        "explored_ratio": explored / expected,
        "exploration_ratio": exploration / (rho * expected),
        "regret_ratio": regret / (rho * expected),
        "slope_ratio": slope / (p * rho),
        "fit_logarithm": fit_logarithm,
        "fit_line": _line(steps, late)[1],
        "regret": regret,
        "bound_ratio": regret / _regret_bound(bandit, p, rounds),
        "uniform_regret": rho,
        "curve": curve,
        "growth": regret / log(rounds) / (float(curve[tenth - 1]) / log(tenth)),
    }  # fmt: skip


def _regret_bound(bandit: FiniteBandit, p: int, rounds: int) -> float:
    """Return the bound of theorem 4.2; it holds for p large enough only."""
    unit = bandit.largest_distance * sqrt(bandit.dimensions)
    size = float(np.linalg.norm(bandit.theta, axis=1).max())
    return unit * (p + 14 * bandit.arms * exp(size / 4) + p * log(rounds))


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    return slope, 1.0 - float(rest @ rest / (y @ y))


def _baselines(noise: Noise, *, full: bool) -> list[dict[str, Any]]:
    runs = [
        unit_bandit(seed=theta, noise=noise).draw(BASELINE_ROUNDS, seed=10 * theta + run)
        for theta in range(5)
        for run in range(2)
    ]
    schedules = {
        **{f"epsilon-greedy, p = {p}": falling(p) for p in (30, 100, 300)},
        **{f"epsilon-greedy, p = {p}, ridge 1": falling(p, ridge=1.0) for p in (100, 300)},
        **{f"constant epsilon = {epsilon}": constant(epsilon) for epsilon in (0.05, 0.1)},
        "epoch-greedy": EPOCHS,
        "uniform": constant(1.0),
    }
    regrets = {
        name: np.array(
            [simulate_exploring(run, each, seed=at).regrets for at, run in enumerate(runs)]
        )
        for name, each in schedules.items()
    }
    for alpha in (1.0, 0.3) if full else (1.0,):
        regrets[f"disjoint LinUCB, alpha = {alpha:g}"] = linucb_regrets(runs, alpha)
    if full:
        regrets["LinRel, alpha = 1"] = np.array([_linrel(run) for run in runs])
    totals = {name: each.sum(axis=1) for name, each in regrets.items()}
    return [
        {"noise": noise, "algorithm": name, "regret": float(total.mean()),
         "standard_error": float(total.std(ddof=1) / np.sqrt(len(total))),
         "curve": np.cumsum(regrets[name].mean(axis=0))}
        for name, total in totals.items()
    ]  # fmt: skip


def _linrel(rounds: FiniteRounds) -> Floats:
    bandit = rounds.bandit
    learner = LinRel(arms=bandit.arms, dimensions=bandit.dimensions)
    with Trace.suspend():
        arms = learner.run(bandit.contexts[rounds.which], rounds.all_rewards())
    return np.asarray(bandit.gaps[rounds.which, arms])


def _skew_row(inverse_odds: int, p: int) -> dict[str, float]:
    explored, exploited = np.zeros((2, _SKEWED_BANDITS))
    for theta in range(_SKEWED_BANDITS):
        bandit = bandits.skewed_bandit(inverse_odds=inverse_odds, seed=theta)
        for seed in range(100 * theta, 100 * theta + _SKEWED_RUNS):
            drawn = bandit.draw(_SWEEP_ROUNDS, seed=seed)
            played = simulate_exploring(drawn, falling(p), seed=seed)
            explored[theta] += played.regrets[played.explored].sum()
            exploited[theta] += played.regrets[~played.explored].sum()
    both = explored + exploited
    return {
        "inverse_odds": inverse_odds, "p": p, "ratio": float(exploited.sum() / explored.sum()),
        "without": int((exploited < 0.01 * both).sum()),
        "regret": float(both.sum()) / (_SKEWED_BANDITS * _SKEWED_RUNS),
    }  # fmt: skip


def _scaling_row(dimensions: int, arms: int, keep: Keep) -> dict[str, float]:
    how = {"rounds": _SWEEP_ROUNDS, "p": 100 * arms, "runs": 1}
    shape: dict[str, Any] = {"dimensions": dimensions, "arms": arms, "noise": "normal"}
    found = pd.DataFrame(
        keep.each(
            partial(play_instance, bandits.bernoulli_bandit(seed=seed, **shape), seed=seed, **how)
            for seed in range(10)
        )
    )
    predicted = found["p"] * found["uniform_regret"] * (1 + np.log(found["rounds"] / found["p"]))
    means = {"regret": found["regret"].mean(), "predicted": predicted.mean()}
    return {"d": dimensions, "arms": arms, **means}
