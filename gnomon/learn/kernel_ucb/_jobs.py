"""The runs of the experiment: which learner, with which settings, in which environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimised
from gnomon.learn.epsilon_greedy import Uniform
from gnomon.learn.kernel_ucb._bkb import BatchKernelBandit, KernelBandit
from gnomon.learn.kernel_ucb._ekucb import EfficientKernelUCB
from gnomon.learn.kernel_ucb._environment import PairRounds, actions, pair_rounds
from gnomon.learn.kernel_ucb._history_free import HistoryFreeKernelUCB
from gnomon.learn.kernel_ucb._kucb import KernelUCB
from gnomon.learn.kernel_ucb._pairs import Pairs
from gnomon.learn.kernel_ucb._play import play_pairs
from gnomon.learn.kernel_ucb._sup import SupKernelUCB
from gnomon.learn.kernel_ucb._ucb1 import UCB1
from gnomon.learn.kernel_ucb._whitened import WhitenedKernelUCB

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats
    from gnomon.learn.learner import Learner

KINDS: dict[str, type[Learner]] = {
    "K-UCB": KernelUCB,
    "EK-UCB": EfficientKernelUCB,
    "EK-UCB whitened": WhitenedKernelUCB,
    "EK-UCB history-free": HistoryFreeKernelUCB,
    "CBKB": KernelBandit,
    "CBBKB": BatchKernelBandit,
    "SupK-UCB": SupKernelUCB,
    "LinUCB": DisjointLinUCBOptimised,
    "UCB1": UCB1,
    "Random": Uniform,
}
RADIUS = 0.1
"""Beta of all methods, as in the authors' code; the paper says only that it is fixed."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run to be made.

    Attributes:
        environment: its name.
        kind: of the learner, one of ``KINDS``.
        regularisation: lambda.
        rounds: T.
        seed: of the run.
        settings: more of the learner, by name.
    """

    environment: str
    kind: str
    regularisation: float
    rounds: int
    seed: int
    settings: tuple[tuple[str, float], ...] = ()

    @property
    def words(self) -> str:
        """The further settings in words."""
        return ", ".join(f"{name} = {value:g}" for name, value in self.settings)

    def learner(self) -> Learner:
        """An empty one."""
        kind = KINDS[self.kind]
        length = 5 if self.environment == "bump" else 1
        if issubclass(kind, Pairs):
            more: dict[str, Any] = dict(self.settings)
            if kind is SupKernelUCB:
                more["horizon"] = self.rounds
            return kind(
                actions=actions(),
                dimensions=length,
                regularisation=self.regularisation,
                beta=RADIUS,
                **more,
            )
        if kind is DisjointLinUCBOptimised:  # contexts get a constant
            return DisjointLinUCBOptimised(
                arms=10,
                dimensions=length + 1,
                alpha=RADIUS,
                regularisation=self.regularisation,
            )
        if kind is UCB1:
            return UCB1(arms=10, dimensions=length, beta=RADIUS)
        return Uniform(arms=10, dimensions=length)


@dataclass(frozen=True, slots=True)
class JobResult:
    """What a run gave.

    Attributes:
        job: what was run.
        regret: against the best action of each context, R_true.
        authors_regret: as their code counts: against the best value of the environment.
        anchors: size of the dictionary; states for K-UCB.
        redraws: of the dictionary, for CBKB and CBBKB.
        seconds: of the processor, in select and update; other programs do not count.
        half_seconds: of the first half of the rounds.
        clamped: variances that rounding had left below 0.
        curve: regret after each round, (T).
    """

    job: Job
    regret: float
    authors_regret: float
    anchors: int
    redraws: int
    seconds: float
    half_seconds: float
    clamped: int
    curve: Floats = field(repr=False)


@cache
def _rounds(environment: str, rounds: int, seed: int) -> PairRounds:
    return pair_rounds(environment, rounds, seed)


def run_job(job: Job) -> JobResult:
    """Play one run."""
    learner = job.learner()
    rounds = _rounds(job.environment, job.rounds, job.seed)
    if job.kind == "LinUCB":
        ones = np.ones((len(rounds.contexts), 1))
        rounds = PairRounds(
            rounds.name,
            np.hstack([rounds.contexts, ones]),
            rounds.means,
            rounds.noise,
            rounds.best,
        )
    played = play_pairs(learner, rounds)
    drawn = isinstance(learner, BatchKernelBandit)
    return JobResult(
        job=job,
        regret=played.regret,
        authors_regret=played.authors_regret,
        anchors=played.anchors,
        redraws=cast("BatchKernelBandit", learner).draws if drawn else 0,
        seconds=float(played.seconds[-1]),
        half_seconds=float(played.seconds[len(played.seconds) // 2 - 1]),
        clamped=learner.clamped_variances,
        curve=np.cumsum(played.regrets),
    )
