"""Figures 5 to 7: drift of incrementally updated inverses, and its effect on the arms.

All learners see the same rounds. The standard learner plays; the others choose in every round too,
but learn what the standard one did, so that at every step their matrices can be compared with its
own. A learner whose choice differs is also forked there, and the fork plays on by itself: its
rewards are those that the learner would have earned alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gnomon.content.algorithms.linucb_disjoint.learner import (
    DisjointLinUCB,
    DisjointLinUCBOptimized,
)
from gnomon.content.algorithms.linucb_hybrid.learner import (
    HybridLinUCB,
    HybridLinUCBOptimized,
    closed_form_inverse,
)
from gnomon.learn import Learner, Rounds, Trace, learners
from gnomon.learn.environment import ContextLaw
from gnomon.learn.kernels import Floats, lu_invert


@dataclass(frozen=True, slots=True)
class DriftCase:
    """One run."""

    name: str  # of the algorithm
    law: ContextLaw = "uniform"  # of contexts and arm features
    rounds: int = 100_000  # T
    arms: int = 8  # N
    dimensions: int = 8  # d
    features: int = 0  # f; 0 for the disjoint algorithm
    alpha: float = 0.5  # weight of exploration
    correction_period: int = 5000  # updates between two corrections of the corrected variant
    log_every: int = 500  # rounds per interval of the curves
    seed: int = 1  # of the rounds


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A round in which a variant chose another arm than the standard learner."""

    variant: str
    round_number: int  # from 1
    standard_arm: int
    variant_arm: int
    # score of the standard learner's arm less that of the variant's arm, both as the standard
    # learner sees them
    margin: float
    score: float  # of the standard learner's arm


@dataclass(frozen=True, slots=True)
class VariantDrift:
    """Drift of one variant.

    ``drift`` has one value per round: the Frobenius norm of the difference between the variant's
    inverse and the inverse of the standard learner's matrix; of A of the arm that was played for
    the disjoint algorithm, of A0 for the hybrid one. The other arrays have one value per
    ``log_every`` rounds.
    """

    variant: str
    drift: Floats = field(repr=False)
    # Frobenius norm of A A^-1 - I, with A of the standard learner
    residual: Floats = field(repr=False)
    # Frobenius norm of the difference to the exact inverse (see ``exact_inverse``)
    error: Floats = field(repr=False)
    average_reward: Floats = field(repr=False)  # of all rounds so far, the variant playing alone
    # expected reward of the best arm less that of the arm played, in the same rounds
    average_regret: Floats = field(repr=False)
    equal_arms: int  # rounds in which the variant chose the standard learner's arm
    equal_arms_alone: int  # the same, the variant playing alone
    clamped_variances: int  # see ``Learner``
    state_size_bytes: int  # see ``Learner``


@dataclass(frozen=True, slots=True)
class DriftResult:
    """All variants of a case, the standard one first."""

    case: DriftCase
    pulls: tuple[int, ...]
    variants: tuple[VariantDrift, ...]
    disagreements: tuple[Disagreement, ...]

    def variant(self, name: str) -> VariantDrift:
        return next(item for item in self.variants if item.variant == name)


def run_drift(case: DriftCase, progress: Callable[[], None] = lambda: None) -> DriftResult:
    """Run a case; the same case gives the same numbers on the same machine.

    Args:
        case: run to simulate.
        progress: called after each interval of ``log_every`` rounds.
    """
    rounds = Rounds.linear(
        rounds=case.rounds, arms=case.arms, dimensions=case.dimensions, features=case.features,
        seed=case.seed, law=case.law,
    )  # fmt: skip
    standard, *others = _learners(case, rounds)
    players = [_Player(learner, case) for learner in (standard, *others)]
    pulls = [0] * case.arms
    found: list[Disagreement] = []
    with Trace.suspend():
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
            matrix = _matrix(standard, arm)
            direct = lu_invert(matrix)
            for player in players:
                difference = _inverse(player.learner, arm, direct) - direct
                player.drift[index] = np.sqrt(np.vdot(difference, difference))
            if (index + 1) % case.log_every == 0:
                exact, unit = exact_inverse(standard, arm), np.eye(len(matrix))
                for player in players:
                    inverse = _inverse(player.learner, arm, direct)
                    residual = float(np.linalg.norm(matrix @ inverse - unit))
                    player.log(index + 1, residual, float(np.linalg.norm(inverse - exact)))
                progress()
    return DriftResult(
        case, tuple(pulls), tuple(player.result() for player in players), tuple(found)
    )


class _Player:
    """A learner in the race, with its fork where it has one."""

    def __init__(self, learner: Learner, case: DriftCase) -> None:
        self.learner = learner
        self.alone = learner  # until the first other choice
        self.chosen = self.chosen_alone = 0
        self.equal = self.equal_alone = 0
        self.reward = self.regret = 0.0
        self.drift = np.zeros(case.rounds)
        self.logs = np.zeros((4, case.rounds // case.log_every))
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

    def log(self, played: int, residual: float, error: float) -> None:
        row = (residual, error, self.reward / played, self.regret / played)
        self.logs[:, played // self.log_every - 1] = row

    def result(self) -> VariantDrift:
        residual, error, reward, regret = self.logs
        return VariantDrift(
            self.learner.variant, self.drift, residual, error, reward, regret,
            equal_arms=self.equal, equal_arms_alone=self.equal_alone,
            clamped_variances=self.learner.clamped_variances,
            state_size_bytes=self.learner.state_size_bytes,
        )  # fmt: skip


def _learners(case: DriftCase, rounds: Rounds) -> list[Learner]:
    more = {"corrected": {"correction_period": case.correction_period}}
    return [
        rounds.learner(kind, alpha=case.alpha, **more.get(variant, {}))
        for (name, variant), kind in learners().items()
        if name == case.name
    ]


def exact_inverse(learner: Learner, arm: int) -> Floats:
    """Return the inverse that a step would give without rounding, from a standard learner's A.

    For A that is the inverse of A: a sum of outer products loses next to nothing. For A0 it is
    that of ``closed_form_inverse``.
    """
    if isinstance(learner, DisjointLinUCB):
        return lu_invert(learner.a[arm])
    assert isinstance(learner, HybridLinUCB)
    return closed_form_inverse(lu_invert(learner.a), learner.arm_features, learner.regularisation)


def _matrix(learner: Learner, arm: int) -> Floats:
    """Return the matrix whose inverse is watched, of a standard learner."""
    if isinstance(learner, HybridLinUCB):
        return learner.a0
    assert isinstance(learner, DisjointLinUCB)
    return np.asarray(learner.a[arm])


def _inverse(learner: Learner, arm: int, of_standard: Floats) -> Floats:
    if isinstance(learner, HybridLinUCBOptimized):
        return learner.a0_inverse
    if isinstance(learner, DisjointLinUCBOptimized):
        return np.asarray(learner.a_inverse[arm])
    return of_standard


@dataclass(frozen=True, slots=True)
class CorrectionGain:
    """log10 of uncorrected drift over corrected drift, from the first correction on.

    Rounds in which a drift is 0 are left out: the corrected inverse can equal the direct one to
    the last bit, and the gain is then unbounded.
    """

    peak: float  # largest over all rounds; it is at a correction
    after: float  # median over the rounds just after a correction: the "up to" that a plot shows
    median: float  # over all rounds
    before: float  # median over the rounds just before a correction, where it gains least
    last_period: float  # of the largest drift in the last period, uncorrected over corrected
    period: int  # updates between two corrections
    corrections: int  # number of corrections


def correction_gain(result: DriftResult) -> CorrectionGain | None:
    """Return the gain in a result; None for a run with fewer than two corrections."""
    period, rounds = result.case.correction_period, result.case.rounds
    if rounds < 2 * period:
        return None
    plain, corrected = result.variant("optimized").drift, result.variant("corrected").drift

    def orders(where: slice) -> Floats:
        both = (plain[where] > 0) & (corrected[where] > 0)
        return np.log10(plain[where][both] / corrected[where][both])

    last = slice(rounds - period, rounds - 1)
    return CorrectionGain(
        peak=float(orders(slice(period - 1, None)).max()),
        median=float(np.median(orders(slice(period - 1, None)))),
        after=float(np.median(orders(slice(period, rounds, period)))),
        # from the first corrected period on
        before=float(np.median(orders(slice(2 * period - 2, rounds, period)))),
        last_period=float(np.log10(plain[last].max() / corrected[last].max())),
        period=period,
        corrections=rounds // period,
    )
