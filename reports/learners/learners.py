"""What each learner is given in a problem, its settings, and its regret by its C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.learners import HostLearner, Learner, LearnerVariant, Play, Sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.arch import Architecture

    from .problems import Given, Problem

TITLES = {
    "linucb-disjoint": "LinUCB disjoint",
    "linucb-hybrid": "LinUCB hybrid",
    "bento-epsilon-greedy": "ε-greedy",
    "softucb": "SoftUCB",
    "ares": "ARES-P",
    "ek-ucb": "EK-UCB",
}
FRACTION_BITS = 15
"""Of all points: vector implementations of LinUCB have no other."""

_LONGEST = 0.999  # of a feature vector of SoftUCB: at most 1, also when rounded


@dataclass(frozen=True, slots=True)
class Setting:
    """One choice of what a user may choose; ``alpha`` None: as the learner has it."""

    title: str
    alpha: float | None = None
    parameters: tuple[tuple[str, int], ...] = ()


def settings_of(learner: Learner, problem: Problem) -> tuple[Setting, ...]:
    """Six each: none has more chances than another."""
    if learner.name == "bento-epsilon-greedy":
        counts = [each * problem.arms for each in (1, 2, 3, 5, 7, 10)]
        return tuple(Setting(f"p = {p}", None, (("LEARNER_P", p),)) for p in counts)
    if learner.name == "ares":
        return tuple(
            Setting(f"windows up to {each}", None, (("LEARNER_WINDOWS", each),))
            for each in (1, 2, 3, 4, 5, 6)
        )
    if learner.name == "ek-ucb":
        return tuple(
            Setting(
                f"λ = 1, width = {(0.5 / inverse) ** 0.5:.2g}, β = {beta:g}",
                beta,
                (("LEARNER_INVERSE_WIDTH", inverse), ("LEARNER_RIDGE", 1)),
            )
            for inverse in (1, 5, 50)
            for beta in (0.1, 0.5)
        )
    symbol = "β" if learner.name == "softucb" else "α"  # noqa: RUF001 - alpha, as in the papers
    return tuple(Setting(f"{symbol} = {each:g}", each) for each in (0.1, 0.2, 0.5, 1.0, 2.0, 4.0))


@dataclass(frozen=True, slots=True)
class Entry:
    """One implementation with its setting in one problem."""

    problem: Problem
    learner: Learner
    variant: LearnerVariant
    setting: Setting

    @property
    def sizes(self) -> Sizes:
        """The shape of the problem as the learner takes it."""
        shape = self.problem
        if self.learner.fixed_arms:
            return Sizes(shape.f, shape.arms)
        return Sizes(shape.d, shape.arms, shape.f if self.learner.has_features else None)

    def built(self, rounds: int) -> LearnerVariant:
        """The variant with its setting, for a run of so many rounds."""
        changed = self.variant.with_parameters(**dict(self.setting.parameters))
        if "LEARNER_ONLINE" in dict(self.variant.parameters):
            return changed.with_parameters(LEARNER_HORIZON=rounds)
        return changed

    def play(self, given: Given, fraction_bits: int = FRACTION_BITS) -> Play:
        """What is given as the words that the learner takes, rounded to nearest.

        A learner of fixed arms has no context. One that reads the context with the reward, for
        later selections, is handed that of the next round then: all know the same before a choice.
        """
        learner, contexts, features = self.learner, given.contexts, given.features
        if learner.fixed_arms:
            contexts = np.zeros((len(contexts), features.shape[1]))
            features = features * (_LONGEST / np.linalg.norm(features, axis=1).max())
        elif learner.late_context:
            contexts = np.vstack((contexts[1:], np.zeros((1, contexts.shape[1]))))
        takes = learner.fixed_arms or learner.has_features
        alpha = learner.alpha if self.setting.alpha is None else self.setting.alpha
        return Play.of(
            contexts,
            given.rewards,
            fraction_bits=fraction_bits,
            features=features if takes else None,
            alpha=alpha,
        )


def regrets_of(
    entry: Entry,
    runs: Sequence[Given],
    *,
    machine: Architecture | None = None,
    fraction_bits: int = FRACTION_BITS,
) -> list[float]:
    """Relative regret of each run, on the vector unit of ``machine`` for vector variants.

    Raises:
        GnomonError: it does not compile for this computer.
    """
    host = HostLearner(
        entry.built(len(runs[0].noise)),
        entry.sizes,
        fraction_bits=fraction_bits,
        architecture=machine,
    )
    return [run.relative_regret(entry.play(run, fraction_bits).on(host)) for run in runs]
