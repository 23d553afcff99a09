"""Regret of the learners: settings chosen on some seeds, then played on others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from gnomon.content.reports.learners.problems import PROBLEMS, Given, Problem
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    HostLearner,
    LearnerVariant,
    Play,
    find_embedded_learner,
)

ROUNDS: Final = 1000
WINDOW: Final = 100
"""Rounds of the windows in which convergence is judged."""
TUNING, EVALUATED = range(900_000, 900_010), range(910_000, 910_020)
"""Seeds."""
BITS: Final = 15
QUANTILE: Final = 2.093
"""0.975 of Student's t with 19 degrees of freedom, one less than the evaluated runs."""
LINUCB: Final = "LinUCB"

_RANGES: Final = {
    "linear": ((0.0, 1.0), (-1.0, 1.0)),
    "fixed": ((-3.0, 3.0), (-1.0, 1.0)),
    "chessboard": ((0.0, 1.0), (0.0, 1.0)),
    "drifting": ((-3.0, 3.0), (-1.0, 1.0)),
}
"""Of contexts and of rewards, by problem: from its definition, not tuned."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A learner and the settings among which it chooses; ``grid``: alpha, parameters."""

    title: str
    name: str
    variant: str
    grid: tuple[tuple[float, dict[str, int]], ...]

    @property
    def learner(self) -> EmbeddedLearner:
        """The embedded learner."""
        return find_embedded_learner(self.name)

    @property
    def implementation(self) -> LearnerVariant:
        """The tuned implementation."""
        return self.learner.variant(self.variant, "tuned")

    @property
    def hyperdimensional(self) -> bool:
        """Whether it takes the ranges of contexts and rewards."""
        return self.title != LINUCB


_ALPHAS = tuple((alpha, dict[str, int]()) for alpha in (0.1, 0.5, 1.0))
_EPSILONS = tuple((0.0, {"LEARNER_EPSILON": share}) for share in (1311, 6554))

ENTRIES: Final = (
    Entry(LINUCB, "linucb-disjoint", "optimized", _ALPHAS),
    Entry("EPS", "hdcb-eps", "standard", _EPSILONS),
    Entry("UNC1", "hdcb-unc", "unc1", _ALPHAS),
    Entry("UNC2", "hdcb-unc", "unc2", _ALPHAS),
    Entry("UNC3", "hdcb-unc", "unc3", ((0.0, {}),)),
    Entry("BIN", "hdcb-eps", "binary", _EPSILONS),
    Entry("PROB", "hdcb-prob", "standard",
          tuple((0.0, {"LEARNER_N0": n0}) for n0 in (10, 100))),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Played:
    """Runs of one learner in one problem, with the setting of least regret in the tuning runs.

    Attributes:
        regrets: regret relative to a policy that picks arms uniformly, by run.
        windows: share of the gap between random and best arm that is won, in each window of
            rounds, over all runs.
    """

    problem: str
    entry: Entry
    setting: str
    regrets: Floats = field(repr=False)
    windows: Floats = field(repr=False)

    def rounds_to(self, level: float) -> int | None:
        """Return the end of the first window that reaches a level; None if none does."""
        reached = np.flatnonzero(self.windows >= level)
        return int(reached[0] + 1) * WINDOW if reached.size else None


def play_problem(problem: Problem) -> Iterator[Played]:
    """Play the learners one after the other."""
    tuning, evaluated = (
        [problem.draw(ROUNDS, seed) for seed in each] for each in (TUNING, EVALUATED)
    )
    contexts, rewards = _RANGES[problem.name]
    ranges = {
        "LEARNER_LOW": round(contexts[0] * 2**BITS), "LEARNER_HIGH": round(contexts[1] * 2**BITS),
        "LEARNER_REWARD_LOW": round(rewards[0] * 2**BITS),
        "LEARNER_REWARD_HIGH": round(rewards[1] * 2**BITS),
    }  # fmt: skip
    sizes = EmbeddedSizes(problem.d, problem.arms)
    for entry in ENTRIES:
        found = []
        hosts: dict[tuple[tuple[str, int], ...], HostLearner] = {}
        for alpha, parameters in entry.grid:
            given = {**ranges, **parameters} if entry.hyperdimensional else parameters
            key = tuple(parameters.items())
            if key not in hosts:
                variant = entry.implementation.with_parameters(**given)
                hosts[key] = HostLearner(variant, sizes, fraction_bits=BITS)
            host = hosts[key]
            regret = np.mean([run.relative_regret(_arms(run, host, alpha)) for run in tuning])
            found.append((float(regret), alpha, parameters, host))
        _, alpha, parameters, host = min(found, key=lambda each: each[0])
        arms = [_arms(run, host, alpha) for run in evaluated]
        regrets = [run.relative_regret(of) for run, of in zip(evaluated, arms, strict=True)]
        yield Played(problem.name, entry, _worded(alpha, parameters), np.array(regrets),
                     _windows(evaluated, arms))  # fmt: skip


def play_all() -> Iterator[Played]:
    """Play all problems of the comparison of learners."""
    for problem in PROBLEMS:
        yield from play_problem(problem)


def _arms(
    run: Given, host: HostLearner, alpha: float
) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return Play.from_floats(run.contexts, run.rewards, fraction_bits=BITS, alpha=alpha).on(host)


def _windows(
    runs: list[Given], arms: list[np.ndarray[tuple[int, ...], np.dtype[np.int32]]]
) -> Floats:
    lost = np.array([run.gaps[np.arange(ROUNDS), of] for run, of in zip(runs, arms, strict=True)])
    random = np.array([run.gaps.mean(axis=1) for run in runs])
    shape = (len(runs), -1, WINDOW)
    shares = 1 - lost.reshape(shape).sum(axis=(0, 2)) / random.reshape(shape).sum(axis=(0, 2))
    return np.asarray(shares)


def _worded(alpha: float, parameters: dict[str, int]) -> str:
    if "LEARNER_EPSILON" in parameters:
        return f"epsilon {parameters['LEARNER_EPSILON'] / 65536:.2f}"
    if "LEARNER_N0" in parameters:
        return f"n0 {parameters['LEARNER_N0']}"
    return f"alpha {alpha:g}" if alpha else "none"


def interval(values: Floats) -> tuple[float, float, float]:
    """Return the mean of the evaluated runs, and the ends of its 95 % interval."""
    mean, half = values.mean(), QUANTILE * values.std(ddof=1) / len(values) ** 0.5
    return float(mean), float(mean - half), float(mean + half)
