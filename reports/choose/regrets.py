"""Regret of each learner in two classes of environment, compared in pairs over the same seeds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.result_cache import Keep
from gnomon.content.algorithms.ares import system as ares
from gnomon.content.reports.learners import problems
from gnomon.content.reports.learners.orders import holm
from gnomon.content.reports.learners.problems import Entry, Given, Problem, Setting, regrets_of
from gnomon.explore.learners import FEATURES
from gnomon.learn import Rounds
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import find_embedded_learner

CLASSES = ("stationary", "drifting")
CASES = tuple((kind, d, arms) for d, arms in ((4, 4), (8, 10)) for kind in CLASSES)
ROUNDS, SEEDS, TRAINING_SEEDS = 1000, 200, 10
FIRST_SEED, FIRST_TRAINING_SEED = 30_001, 40_001
LEVEL = 0.05
_FLIPS, _RESAMPLES = 10_000, 2_000

POLICIES = (
    ("linucb-disjoint", "optimized", ""),
    ("linucb-window", "optimized", "LEARNER_WINDOW=2"),
    ("linucb-window", "optimized", "LEARNER_WINDOW=3"),
    ("linucb-hybrid", "optimized", ""),
    ("bento-epsilon-greedy", "optimized", ""),
    ("softucb", "optimized", ""),
    ("ares", "standard", "LEARNER_WINDOWS=2"),
    ("ek-ucb", "optimized", ""),
)
"""Learner, the variant that plays, and its settings that cost something."""


@dataclass(frozen=True, slots=True)
class Played:
    """One policy in one case: its choice in training, and regret of every seed."""

    setting: str
    regret: tuple[float, ...]  # relative to a policy that picks arms uniformly


def _stationary(d: int, arms: int, rounds: int, seed: int) -> Given:
    """Return linear rewards, each seed with its own weights."""
    drawn = Rounds.linear(rounds=rounds, arms=arms, dimensions=d, features=FEATURES, seed=seed)
    return Given(drawn.contexts, drawn.expected, drawn.noise, drawn.arm_features)


def _drifting(d: int, arms: int, rounds: int, seed: int) -> Given:
    """Return the linear Gaussian systems of ARES, each seed with its own system.

    A context is d numbers of the observed state of the previous round.
    """
    system, rng = ares.random_system(seed, contexts=d, arms=arms), np.random.default_rng((seed, 1))
    still = ares.stationary_covariance(system)

    def noise(covariance: Floats) -> Floats:
        root = np.linalg.cholesky(covariance)
        found: Floats = rng.standard_normal((rounds + 1, len(root))) @ root.T
        return found

    of_state, of_context = noise(system.state_noise), noise(system.context_noise)
    z = np.empty_like(of_state)
    z[0] = np.linalg.cholesky(still) @ rng.standard_normal(len(still))
    for at in range(rounds):
        z[at + 1] = system.gamma @ z[at] + of_state[at]
    looks = z @ system.contexts.T + of_context
    in_context, in_reward = ares.in_units(system, still)
    shown = np.random.default_rng((seed, 2)).uniform(size=(arms, FEATURES))
    of_reward = np.sqrt(system.reward_noise) * rng.standard_normal(rounds)
    return Given((looks / in_context)[:-1], (z[1:] @ system.arms.T) / in_reward,
                 of_reward / in_reward, shown)  # fmt: skip


_DRAWS: dict[str, Callable[[int, int, int, int], Given]] = {
    "stationary": _stationary, "drifting": _drifting,
}  # fmt: skip


def _settings(name: str, fixed: str, problem: Problem) -> list[Setting]:
    """Return at most six settings, as on the page of all learners, with ``fixed`` macros added."""
    macros = tuple((each.split("=")[0], int(each.split("=")[1])) for each in fixed.split())
    if name == "ares":
        return [Setting("", None, macros)]
    alike = "linucb-disjoint" if name == "linucb-window" else name  # its window is in the macros
    return [
        Setting(each.title, each.alpha, (*each.parameters, *macros))
        for each in problems.settings_of(find_embedded_learner(alike), problem)
    ]


def play(kind: str, d: int, arms: int) -> tuple[Played, ...]:
    """Play all policies in one case, in the order of ``POLICIES``."""
    draw = partial(_DRAWS[kind], d, arms)
    problem = Problem(kind, "", "", "", d, d, arms, FEATURES, draw)
    training, runs = (
        [draw(ROUNDS, first + at) for at in range(count)]
        for first, count in ((FIRST_TRAINING_SEED, TRAINING_SEEDS), (FIRST_SEED, SEEDS))
    )
    found = []
    for name, variant, fixed in POLICIES:
        learner = find_embedded_learner(name)
        entries = [
            Entry(problem, learner, learner.variant(variant, "tuned"), setting)
            for setting in _settings(name, fixed, problem)
        ]
        tried = [float(np.mean(regrets_of(entry, training))) for entry in entries]
        entry = entries[int(np.argmin(tried))]
        found.append(Played(entry.setting.title, tuple(regrets_of(entry, runs))))
    return tuple(found)


def better(regrets: Floats, seed: int = 0) -> list[list[int]]:
    """Return, for each policy of (policies, seeds), the policies that it beats.

    Paired differences, their signs flipped at random (two-sided, on the mean), corrected by Holm
    over all pairs.
    """
    pairs = list(combinations(range(len(regrets)), 2))
    differences = np.stack([regrets[a] - regrets[b] for a, b in pairs], axis=1)
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), (_FLIPS, regrets.shape[1]))
    own, flipped = differences.sum(axis=0), signs @ differences
    p_values = (1 + (np.abs(flipped) >= np.abs(own) - 1e-12).sum(axis=0)) / (1 + _FLIPS)
    beaten: list[list[int]] = [[] for _ in regrets]
    for (a, b), p, sign in zip(pairs, holm(np.asarray(p_values)), own, strict=True):
        if p < LEVEL:
            beaten[a if sign < 0 else b].append(b if sign < 0 else a)
    return [sorted(each) for each in beaten]


def _interval(values: Floats) -> tuple[float, float]:
    """Return the 95 % interval of the mean by resampling, because tails may be heavy."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(len(values), size=(_RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def rows_of(kind: str, d: int, arms: int, played: Sequence[Played]) -> Iterator[tuple[Any, ...]]:
    """Return the table rows of one case; ``beats`` counts from 0 in the order of ``POLICIES``."""
    regrets = np.array([each.regret for each in played])
    for each, (name, _, fixed), values, beats in zip(
        played, POLICIES, regrets, better(regrets), strict=True
    ):
        low, high = _interval(values)
        yield (kind, d, arms, name, fixed, each.setting, f"{values.mean():.4f}", f"{low:.4f}",
               f"{high:.4f}", " ".join(map(str, beats)))  # fmt: skip


COLUMNS = (
    "class", "d", "arms", "learner", "settings", "chosen", "regret", "low", "high", "beats",
)  # fmt: skip


def table(
    cases: Sequence[tuple[str, int, int]], keep: Keep, progress: Callable[[str], Any]
) -> pd.DataFrame:
    """Return a row for each policy in each case."""
    rows: list[tuple[Any, ...]] = []
    for case in cases:
        rows += rows_of(*case, keep(play, *case))
        progress("{}: {} x {}".format(*case))
    return pd.DataFrame(rows, columns=list(COLUMNS))
