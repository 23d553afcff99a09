"""What is run: an environment, and embedded learners in number formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.learners import find_learner
from gnomon.learn import linear_rounds

if TYPE_CHECKING:
    from gnomon.bench.learners import Learner, LearnerVariant
    from gnomon.learn import Rounds
    from gnomon.learn.environment import ContextLaw

DISJOINT, HYBRID = "linucb-disjoint", "linucb-hybrid"

KEPT_AS = "fixed-point"
"""Kind of the finished runs in the cache folder."""


@dataclass(frozen=True, slots=True)
class StudyCase:
    """An environment, the same for float and fixed point.

    Attributes:
        name: of the algorithm.
        law: of contexts and arm features.
        rounds: T.
        follow_rounds: rounds in which a learner also learns what float learned, and in which its
            overflows are counted; both take time.
        dimensions: d.
        features: f; 0 for the disjoint algorithm.
        arms: N.
        alpha: weight of exploration.
        context_scale: contexts are multiplied by it before any learner, float or fixed, sees them;
            rewards stay. A stays the identity at first, so a small scale is a stronger prior.
        seed: of the rounds.
    """

    name: str
    law: ContextLaw
    rounds: int
    follow_rounds: int
    dimensions: int
    features: int = 0
    arms: int = 8
    alpha: float = 0.5
    context_scale: float = 1.0
    seed: int = 1

    @property
    def learner(self) -> Learner:
        """The embedded learner in all its variants."""
        return find_learner(self.name)

    def play(self) -> Rounds:
        """The rounds, drawn anew; the contexts of the environment, not scaled."""
        return linear_rounds(
            rounds=self.rounds,
            arms=self.arms,
            dimensions=self.dimensions,
            features=self.features,
            seed=self.seed,
            law=self.law,
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """One embedded learner in one number format, in one environment.

    Attributes:
        case: the environment.
        line: code line.
        variant: which implementation.
        fraction_bits: of contexts, rewards and scores; of all numbers in the paper line.
        correction_period: updates from one correction to the next; None: as the variant has it.
    """

    case: StudyCase
    line: str
    variant: str
    fraction_bits: int
    correction_period: int | None = None

    @property
    def implementation(self) -> LearnerVariant:
        """The C.

        Raises:
            GnomonError: there is none of this name, or it has no correction.
        """
        found = self.case.learner.variant(self.variant, self.line)
        if self.correction_period is None:
            return found
        return found.corrected_every(self.correction_period)

    @property
    def title(self) -> str:
        """For progress and messages."""
        case = self.case
        scale = "" if case.context_scale == 1 else f" x {case.context_scale:g}"
        return (
            f"{case.name} {case.law}{scale} {self.line} {self.variant},"
            f" {self.fraction_bits} fraction bits, seed {case.seed}"
        )


def checkpoints(rounds: int) -> tuple[int, ...]:
    """Rounds at which runs are looked at: eight per decade from 100, and the last."""
    return (*(step for step in _steps(16, 80) if step < rounds), rounds)


def model_checkpoints(rounds: int) -> tuple[int, ...]:
    """Rounds after which models are looked at: those, and eight in the decade before."""
    stops = checkpoints(rounds)
    return (*(step for step in _steps(8, 16) if step < stops[0]), *stops)


def _steps(first: int, end: int) -> list[int]:
    return [int(step) for step in np.rint(10 ** (np.arange(first, end) / 8))]
