"""Figures 5 to 7: how far incrementally updated inverses drift, and what that does to the arms.

All learners see the same rounds. The standard learner plays; the others choose in every round too,
but learn what the standard one did, so that at every step their matrices can be compared with its
own. A learner whose choice differs is also forked there, and the fork plays on by itself: its
rewards are those that the learner would have earned alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.learn._disjoint_optimised import DisjointLinUCBOptimised
from gnomon.learn._disjoint_standard import DisjointLinUCB
from gnomon.learn._exact import exact_inverse
from gnomon.learn._hybrid_optimised import HybridLinUCBOptimised
from gnomon.learn._hybrid_standard import HybridLinUCB
from gnomon.learn._trace import unrecorded
from gnomon.learn.algorithm import learners
from gnomon.learn.environment import ContextLaw, Rounds, disjoint_rounds, hybrid_rounds
from gnomon.learn.kernels import lu_invert as invert

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.learn.kernels import Floats
    from gnomon.learn.learner import Learner

Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DriftCase:
    """One run.

    Attributes:
        name: of the algorithm.
        law: of contexts and arm features.
        rounds: T.
        arms: N.
        dimensions: d.
        features: f; 0 for the disjoint algorithm.
        alpha: weight of exploration.
        correction_period: updates between two corrections of the corrected variant.
        log_every: rounds per interval of the curves.
        seed: of the rounds.
    """

    name: str
    law: ContextLaw = "uniform"
    rounds: int = 100_000
    arms: int = 8
    dimensions: int = 8
    features: int = 0
    alpha: float = 0.5
    correction_period: int = 5000
    log_every: int = 500
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A round in which a variant chose another arm than the standard learner.

    Attributes:
        round_number: from 1.
        margin: score of the standard learner's arm less that of the variant's arm, both as the
            standard learner sees them.
        score: of the standard learner's arm.
    """

    variant: str
    round_number: int
    standard_arm: int
    variant_arm: int
    margin: float
    score: float


@dataclass(frozen=True, slots=True)
class VariantDrift:
    """What became of one variant.

    ``drift`` has one value per round: the Frobenius norm of the difference between the variant's
    inverse and the inverse of the standard learner's matrix; of A of the arm that was played for
    the disjoint algorithm, of A0 for the hybrid one. The other arrays have one value per
    ``log_every`` rounds.

    Attributes:
        residual: Frobenius norm of A A^-1 - I, with A of the standard learner.
        error: Frobenius norm of the difference to the exact inverse (see ``exact_inverse``).
        average_reward: of all rounds so far, the variant playing alone.
        average_regret: expected reward of the best arm less that of the arm played, likewise.
        equal_arms: rounds in which the variant chose the standard learner's arm.
        equal_arms_alone: likewise, the variant playing alone.
        clamped_variances: see ``Learner``.
        state_size_bytes: see ``Learner``.
    """

    variant: str
    drift: Floats = field(repr=False)
    residual: Floats = field(repr=False)
    error: Floats = field(repr=False)
    average_reward: Floats = field(repr=False)
    average_regret: Floats = field(repr=False)
    equal_arms: int
    equal_arms_alone: int
    clamped_variances: int
    state_size_bytes: int


@dataclass(frozen=True, slots=True)
class DriftResult:
    """All variants of a case, the standard one first."""

    case: DriftCase
    pulls: tuple[int, ...]
    variants: tuple[VariantDrift, ...]
    disagreements: tuple[Disagreement, ...]

    def variant(self, name: str) -> VariantDrift:
        """The variant of this name."""
        return next(item for item in self.variants if item.variant == name)


def run_drift(case: DriftCase, progress: Callable[[], None] = lambda: None) -> DriftResult:
    """Run a case; the same case gives the same numbers on the same machine.

    Args:
        case: what to run.
        progress: called after each interval of ``log_every`` rounds.

    Raises:
        GnomonError: a number of the case is out of range, or a learner lost its precision.
    """
    rounds = _rounds(case)
    standard, *others = _learners(case, rounds)
    players = [_Player(learner, case) for learner in (standard, *others)]
    pulls = [0] * case.arms
    found: list[Disagreement] = []
    with unrecorded():
        for index, context in enumerate(rounds.contexts):
            arm = standard.select(context)
            pulls[arm] += 1
            for player in players:
                other = player.choose(context, arm)
                if other != arm:
                    scores = standard.scores(context)
                    margin, score = float(scores[arm] - scores[other]), float(scores[arm])
                    variant = player.learner.variant
                    found.append(Disagreement(variant, index + 1, arm, other, margin, score))
            for player in players:
                player.learn(rounds, index, arm)
            _observe(players, standard, arm, index)
            if (index + 1) % case.log_every == 0:
                _log(players, standard, arm, index)
                progress()
    return DriftResult(
        case, tuple(pulls), tuple(player.result() for player in players), tuple(found)
    )


class _Player:
    """A learner in the race, with its fork where it has one."""

    def __init__(self, learner: Learner, case: DriftCase) -> None:
        intervals = case.rounds // case.log_every
        self.learner = learner
        self.alone = learner  # until the first other choice
        self.chosen = self.chosen_alone = 0
        self.equal = self.equal_alone = 0
        self.reward = self.regret = 0.0
        self.drift = np.zeros(case.rounds)
        self.logs = np.zeros((4, intervals))
        self.log_every = case.log_every

    def choose(self, context: Floats, standard_arm: int) -> int:
        self.chosen = self.learner.select(context)
        if self.alone is self.learner:
            self.chosen_alone = self.chosen
            if self.chosen != standard_arm:
                self.alone = self.learner.clone()
        else:
            self.chosen_alone = self.alone.select(context)
        self.equal += self.chosen == standard_arm
        self.equal_alone += self.chosen_alone == standard_arm
        return self.chosen

    def learn(self, rounds: Rounds, index: int, standard_arm: int) -> None:
        context = rounds.contexts[index]
        self.learner.update(context, standard_arm, rounds.reward(index, standard_arm))
        reward = rounds.reward(index, self.chosen_alone)
        if self.alone is not self.learner:
            self.alone.update(context, self.chosen_alone, reward)
        self.reward += reward
        self.regret += rounds.best(index) - float(rounds.expected[index, self.chosen_alone])

    def log(self, index: int, residual: float, error: float) -> None:
        played = index + 1
        row = (residual, error, self.reward / played, self.regret / played)
        self.logs[:, played // self.log_every - 1] = row

    def result(self) -> VariantDrift:
        residual, error, reward, regret = self.logs
        return VariantDrift(
            variant=self.learner.variant,
            drift=self.drift,
            residual=residual,
            error=error,
            average_reward=reward,
            average_regret=regret,
            equal_arms=self.equal,
            equal_arms_alone=self.equal_alone,
            clamped_variances=self.learner.clamped_variances,
            state_size_bytes=self.learner.state_size_bytes,
        )


def _rounds(case: DriftCase) -> Rounds:
    if case.features:
        return hybrid_rounds(
            rounds=case.rounds,
            arms=case.arms,
            dimensions=case.dimensions,
            features=case.features,
            seed=case.seed,
            law=case.law,
        )
    return disjoint_rounds(
        rounds=case.rounds,
        arms=case.arms,
        dimensions=case.dimensions,
        seed=case.seed,
        law=case.law,
    )


def _learners(case: DriftCase, rounds: Rounds) -> list[Learner]:
    settings: dict[str, Any] = {"dimensions": case.dimensions, "alpha": case.alpha}
    if case.features:
        settings["arm_features"] = rounds.arm_features
    else:
        settings["arms"] = case.arms
    found = []
    for (name, variant), learner in learners().items():
        if name == case.name:
            extra = {"correction_period": case.correction_period} if variant == "corrected" else {}
            create: Callable[..., Learner] = learner
            found.append(create(**settings, **extra))
    return found


def _matrix(learner: Learner, arm: int) -> Floats:
    """The matrix whose inverse is watched, of a standard learner."""
    if isinstance(learner, HybridLinUCB):
        return learner.a0
    assert isinstance(learner, DisjointLinUCB)
    own: Floats = learner.a[arm]
    return own


def _inverse(learner: Learner, arm: int, of_standard: Floats) -> Floats:
    if isinstance(learner, DisjointLinUCB | HybridLinUCB):
        return of_standard
    if isinstance(learner, HybridLinUCBOptimised):
        shared: Floats = learner.a0_inverse
        return shared
    assert isinstance(learner, DisjointLinUCBOptimised)
    own: Floats = learner.a_inverse[arm]
    return own


def _observe(players: list[_Player], standard: Learner, arm: int, index: int) -> None:
    direct = invert(_matrix(standard, arm))
    for player in players:
        difference = _inverse(player.learner, arm, direct) - direct
        player.drift[index] = np.sqrt(np.vdot(difference, difference))


def _log(players: list[_Player], standard: Learner, arm: int, index: int) -> None:
    matrix, exact = _matrix(standard, arm), exact_inverse(standard, arm)
    direct, unit = invert(matrix), np.eye(len(matrix))
    for player in players:
        inverse = _inverse(player.learner, arm, direct)
        residual = float(np.linalg.norm(matrix @ inverse - unit))
        player.log(index, residual, float(np.linalg.norm(inverse - exact)))
