"""Regret of an embedded learner by number format, compared with its float learner.

The same C as on the machine plays on this computer, bit for bit, over many rounds; float plays the
same rounds. Any learner that is found can be compared whose arms earn what is linear in a context.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gnomon.arch import Architecture
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.result_cache import cached_result
from gnomon.base.sources import source_digest
from gnomon.learn import Rounds, Trace
from gnomon.learn import find_learner as find_float
from gnomon.learn.environment import ContextLaw
from gnomon.learn.kernels import Floats
from gnomon.learn.settings import settings_of
from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    HostLearner,
    LearnerVariant,
    Play,
    find_embedded_learner,
)

Arms = NDArray[np.uint8]

MOST_ARMS = 256
"""Arms played are kept as bytes."""

WORD_BITS = 31
"""Binary digits of a word without its sign."""

_KEPT_AS = "regret"


@dataclass(frozen=True, slots=True)
class RegretCase:
    """An environment, the same for float and fixed point.

    Attributes:
        name: of the algorithm.
        law: of contexts and arm features.
        rounds: T.
        dimensions: d.
        features: f; 0 for learners whose arms have none.
        arms: N.
        alpha: weight of exploration.
        context_scale: contexts are multiplied by it before any learner, float or fixed, sees them;
            rewards stay. A prior stays as it is, so a small scale is a stronger prior.
        seed: of the rounds.
    """

    name: str
    law: ContextLaw
    rounds: int
    dimensions: int
    features: int = 0
    arms: int = 8
    alpha: float = 0.5
    context_scale: float = 1.0
    seed: int = 1

    @property
    def learner(self) -> EmbeddedLearner:
        """The embedded learner in all its variants."""
        return find_embedded_learner(self.name)

    @property
    def sizes(self) -> EmbeddedSizes:
        """Of the embedded learner."""
        return EmbeddedSizes(self.dimensions, self.arms, self.features or None)

    def play(self) -> Rounds:
        """The rounds, drawn anew; the contexts of the environment, not scaled."""
        return Rounds.linear(
            rounds=self.rounds,
            arms=self.arms,
            dimensions=self.dimensions,
            features=self.features,
            seed=self.seed,
            law=self.law,
        )


@dataclass(frozen=True, slots=True)
class RegretCell:
    """One embedded learner in one number format, in one environment.

    Attributes:
        case: the environment.
        line: paper or tuned implementation.
        variant: which implementation.
        fraction_bits: of contexts, rewards and scores; of all numbers in the paper implementation.
        correction_period: updates from one correction to the next; None: as the variant has it.
    """

    case: RegretCase
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
        there = self.case.learner.variant(self.variant, self.line)
        if self.correction_period is None:
            return there
        return there.corrected_every(self.correction_period)

    @property
    def title(self) -> str:
        """For progress and messages."""
        case = self.case
        scale = "" if case.context_scale == 1 else f" x {case.context_scale:g}"
        return (
            f"{case.name} {case.law}{scale} {self.line} {self.variant},"
            f" {self.fraction_bits} fraction bits, seed {case.seed}"
        )


def make_inputs(cell: RegretCell, rounds: Rounds) -> Play:
    """The words that a cell is given: rounded to nearest, nothing saturated.

    Raises:
        GnomonError: a number is outside the format.
    """
    case, bits = cell.case, cell.fraction_bits
    given: dict[str, Floats] = {
        "contexts": rounds.contexts * case.context_scale,
        "rewards": rounds.expected + rounds.noise[:, None],
        "arm features": rounds.arm_features if case.features else np.zeros(1),
        "alpha": np.array(case.alpha),
    }
    limit = 2.0 ** (WORD_BITS - bits)
    for what, values in given.items():
        largest = float(np.abs(values).max())
        if not largest < limit - 1:
            raise GnomonError(
                f"{cell.title}: {what} reach {largest:.3g}, but the format ends at {limit:g};"
                " take fewer fraction bits"
            )
    return Play.of(
        given["contexts"],
        given["rewards"],
        fraction_bits=bits,
        features=rounds.arm_features if case.features else None,
        alpha=case.alpha,
    )


def play_float(case: RegretCase, rounds: Rounds, *, fresh: bool = False) -> Arms:
    """The arms that the first float variant of the learner plays, (T,); kept in the cache.

    Args:
        case: learner and environment.
        rounds: those of the case.
        fresh: take nothing from the cache.

    Raises:
        GnomonError: the learner lost its precision, or the cache cannot be written.
    """
    settings: dict[str, float] = {"alpha": case.alpha} if case.learner.has_alpha else {}
    if "seed" in settings_of(find_float(case.name)):
        settings["seed"] = case.seed
    learner = rounds.learner(find_float(case.name), **settings)

    def play() -> Arms:
        arms = np.zeros(case.rounds, dtype=np.uint8)
        with Trace.suspend():
            for index, context in enumerate(rounds.contexts * case.context_scale):
                arm = learner.select(context)
                learner.update(context, arm, rounds.reward(index, arm))
                arms[index] = arm
        return arms

    key = digest(("float", learner.variant, source_digest("kernels", "algorithms"), case))
    return cached_result(_KEPT_AS, key, play, fresh=fresh)


def sums(rounds: Rounds, arms: Arms) -> tuple[Floats, Floats]:
    """Regret and reward of the arms played, summed up round by round, (T,) each."""
    expected = rounds.expected[np.arange(len(arms)), arms]
    return (rounds.expected.max(axis=1) - expected).cumsum(), (expected + rounds.noise).cumsum()


@dataclass(frozen=True, slots=True)
class Regret:
    """Over all rounds: expected reward of the best arm less that of the arm played, summed up.

    Of a learner that draws, both are one draw: the C draws from its own numbers, which start again
    with each reset, the float learner from the seed of the case. Means over many seeds compare.

    Attributes:
        own: of the embedded learner.
        reference: of the float learner.
    """

    own: float
    reference: float


def play_regret(cell: RegretCell, architecture: Architecture | None = None) -> Regret:
    """Play a cell, and its case in float; runs that were made before come from the cache.

    Args:
        cell: learner, format and environment.
        architecture: whose vector unit a vector variant computes as; see ``HostLearner``.

    Raises:
        GnomonError: the learner needs other rounds, it has too many arms, it does not compile, a
            number does not fit the format, the float learner lost its precision, or the cache
            cannot be written.
    """
    _check(cell.case)
    rounds = cell.case.play()
    inputs = make_inputs(cell, rounds)
    host = HostLearner(
        cell.implementation,
        cell.case.sizes,
        fraction_bits=cell.fraction_bits,
        architecture=architecture,
    )

    def play() -> Arms:
        return inputs.on(host).astype(np.uint8)

    key = digest(("alone", source_digest(), host.fingerprint, inputs))
    reference, _ = sums(rounds, play_float(cell.case, rounds))
    own, _ = sums(rounds, cached_result(_KEPT_AS, key, play))
    return Regret(float(own[-1]), float(reference[-1]))


def _check(case: RegretCase) -> None:
    """Refuse learners that these rounds are nothing for."""
    learner, takes = case.learner, settings_of(find_float(case.name))
    given = {"arm_features" if case.features else "arms", "dimensions"}
    given |= {"alpha"} if learner.has_alpha else set()
    needed = {name for name, must in takes.items() if must}
    if learner.fixed_arms or learner.late_context or not needed <= given <= takes.keys():
        raise GnomonError(
            "regret is measured in rounds of new contexts and rewards that are linear in them;"
            f" {case.name} needs other rounds"
        )
    if case.arms > MOST_ARMS:
        raise GnomonError(f"regret is measured with at most {MOST_ARMS} arms, not {case.arms:,}")
