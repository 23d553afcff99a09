"""What each learner is given in a problem, and the settings among which it may choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.learners import Play, Sizes, find_learner, to_steps

if TYPE_CHECKING:
    from gnomon.bench.learners import Learner, LearnerVariant
    from gnomon.report.comparison._problems import Given, Problem

TITLES = {
    "linucb-disjoint": "LinUCB disjoint",
    "linucb-hybrid": "LinUCB hybrid",
    "bento-epsilon-greedy": "ε-greedy",
    "softucb": "SoftUCB",
    "ares": "ARES-P",
    "ek-ucb": "EK-UCB",
}
"""By learner, in the order of the registry."""

_LONGEST = 0.999  # of a feature vector of SoftUCB: at most 1, also when rounded


@dataclass(frozen=True, slots=True)
class Setting:
    """One choice of what a user may choose.

    Attributes:
        title: as papers write it.
        alpha: weight of exploration; None: as the learner has it.
        parameters: macros and their values.
    """

    title: str
    alpha: float | None = None
    parameters: tuple[tuple[str, int], ...] = ()

    def of(self, variant: LearnerVariant, rounds: int) -> LearnerVariant:
        """The variant with this setting."""
        changed = variant.with_parameters(**dict(self.parameters))
        if "LEARNER_ONLINE" in dict(variant.parameters):
            return changed.with_parameters(LEARNER_HORIZON=rounds)
        return changed


def settings_of(learner: Learner, problem: Problem) -> tuple[Setting, ...]:
    """Six each: none has more chances than another."""
    if learner.name == "bento-epsilon-greedy":
        return tuple(
            Setting(f"p = {each * problem.arms}", None, (("LEARNER_P", each * problem.arms),))
            for each in (1, 2, 3, 5, 7, 10)
        )
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


def sizes_of(learner: Learner, problem: Problem) -> Sizes:
    """The shape of a problem as a learner takes it."""
    if learner.fixed_arms:
        return Sizes(problem.f, problem.arms)
    return Sizes(problem.d, problem.arms, problem.f if learner.has_features else None)


def play_of(learner: Learner, given: Given, setting: Setting, fraction_bits: int) -> Play:
    """What is given as the words that a learner takes, rounded to nearest.

    A learner of fixed arms has no context. One that reads the context with the reward, for later
    selections, is handed that of the next round then: so all know the same before a choice.
    """
    contexts, features = given.contexts, given.features
    if learner.fixed_arms:
        contexts = np.zeros((len(contexts), features.shape[1]))
        features = features * (_LONGEST / np.linalg.norm(features, axis=1).max())
    elif learner.late_context:
        contexts = np.vstack((contexts[1:], np.zeros((1, contexts.shape[1]))))
    takes = learner.fixed_arms or learner.has_features
    alpha = learner.alpha if setting.alpha is None else setting.alpha
    return Play(
        contexts=to_steps(contexts, fraction_bits),
        rewards=to_steps(given.rewards, fraction_bits),
        features=to_steps(features, fraction_bits) if takes else None,
        alpha=int(to_steps(alpha, fraction_bits)),
        fraction_bits=fraction_bits,
    )


def reference_variant(learner: Learner) -> LearnerVariant:
    """The one whose regret chooses the setting of all."""
    return find_learner(learner.name).variant("optimized", "tuned")
