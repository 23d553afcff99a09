"""Regret of an embedded learner by number format, compared with its float learner.

The C code of the machine runs on the host, bit for bit, over many rounds; the float learner plays
the same rounds. The comparison supports any learner whose expected rewards are linear in a context.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gnomon.arch import Architecture
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.result_cache import cached_result
from gnomon.base.sources import file_digest, source_digest
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
from gnomon.once.generate import OnceSource, play_class

Arms = NDArray[np.uint8]

MOST_ARMS = 256
"""Largest number of arms, because arms are stored as bytes."""

WORD_BITS = 31
"""Binary digits of a word without its sign."""

_CACHE_KIND = "regret"


@dataclass(frozen=True, slots=True)
class RegretCase:
    """Environment, the same for float and fixed point.

    Attributes:
        name: name of the algorithm.
        law: distribution of contexts and arm features.
        rounds: number of rounds, T.
        dimensions: length of a context, d.
        features: number of features per arm, f; 0 for learners whose arms have none.
        arms: number of arms, N.
        alpha: weight of exploration.
        context_scale: factor on contexts for all learners, float and fixed. Rewards and priors are
            not scaled, so a small factor strengthens a prior.
        seed: seed of the rounds.
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
        """Sizes of the embedded learner."""
        return EmbeddedSizes(self.dimensions, self.arms, self.features or None)

    def play(self) -> Rounds:
        """Return the rounds, sampled again on each call, with unscaled contexts."""
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
    """Embedded learner in a number format and an environment.

    Attributes:
        case: the environment.
        line: the implementation, paper or tuned.
        variant: name of the variant.
        fraction_bits: fraction bits of contexts, rewards and scores; in the paper implementation,
            of all numbers.
        correction_period: updates between two corrections; None for that of the variant.
    """

    case: RegretCase
    line: str
    variant: str
    fraction_bits: int
    correction_period: int | None = None

    @property
    def implementation(self) -> LearnerVariant:
        """Variant in C.

        Raises:
            GnomonError: if no variant has this name, or it has no correction.
        """
        there = self.case.learner.variant(self.variant, self.line)
        if self.correction_period is None:
            return there
        return there.corrected_every(self.correction_period)

    @property
    def title(self) -> str:
        """Title for progress and messages."""
        case = self.case
        scale = "" if case.context_scale == 1 else f" x {case.context_scale:g}"
        return (
            f"{case.name} {case.law}{scale} {self.line} {self.variant},"
            f" {self.fraction_bits} fraction bits, seed {case.seed}"
        )


def make_inputs(cell: RegretCell, rounds: Rounds) -> Play:
    """Return the input words of a cell: rounded to nearest, without saturation.

    Raises:
        GnomonError: if a number is outside the format.
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
    return Play.from_floats(
        given["contexts"],
        given["rewards"],
        fraction_bits=bits,
        features=rounds.arm_features if case.features else None,
        alpha=case.alpha,
    )


def play_float(case: RegretCase, rounds: Rounds, *, fresh: bool = False) -> Arms:
    """Return the arms that the first float variant of the learner plays, (T,); cached.

    Args:
        case: learner and environment.
        rounds: the rounds of the case.
        fresh: whether to ignore the cache.

    Raises:
        GnomonError: if the learner lost its precision, or the cache cannot be written.
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
    return cached_result(_CACHE_KIND, key, play, fresh=fresh)


def sums(rounds: Rounds, arms: Arms) -> tuple[Floats, Floats]:
    """Return cumulative regret and cumulative reward of the arms played, (T,) each."""
    expected = rounds.expected[np.arange(len(arms)), arms]
    return (rounds.expected.max(axis=1) - expected).cumsum(), (expected + rounds.noise).cumsum()


@dataclass(frozen=True, slots=True)
class Regret:
    """Cumulative regret: expected reward of the best arm minus that of the arm played.

    For a learner with random choices, each value is one sample. The C learner draws from its own
    generator, which restarts with each reset; the float learner draws from the seed of the case.
    Compare means over many seeds.

    Attributes:
        own: regret of the embedded learner.
        reference: regret of the float learner; of generated C, that of its class.
    """

    own: float
    reference: float


def play_regret(cell: RegretCell, architecture: Architecture | None = None) -> Regret:
    """Play a cell, and its case in float; cached runs are reused.

    Args:
        cell: learner, format and environment.
        architecture: machine whose vector unit a vector variant emulates; see ``HostLearner``.

    Raises:
        GnomonError: if the learner needs other rounds, has too many arms or does not compile; if a
            number does not fit the format, the float learner lost its precision, or the cache
            cannot be written.
    """
    _check(cell)
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
    source = cell.implementation.once
    arms = play_float(cell.case, rounds) if source is None else _play_class(source, cell, inputs)
    reference, _ = sums(rounds, arms)
    own, _ = sums(rounds, cached_result(_CACHE_KIND, key, play))
    return Regret(float(own[-1]), float(reference[-1]))


def _play_class(source: OnceSource, cell: RegretCell, inputs: Play) -> Arms:
    """Return the arms that the class of generated C plays; cached."""
    folder, step = Path(source.folder), 2.0**-cell.fraction_bits

    def play() -> Arms:
        learner = source.create(cell.case.dimensions, cell.case.arms)
        return play_class(learner, inputs.contexts * step, inputs.rewards * step, folder).astype(
            np.uint8
        )

    text = file_digest(folder / source.entry.kind.partition(":")[0])
    how = text, source.entry.kind, source.alpha, cell.fraction_bits
    key = digest(("class", source_digest("kernels", "algorithms"), *how, inputs))
    return cached_result(_CACHE_KIND, key, play)


def _check(cell: RegretCell) -> None:
    """Check that the learner can play rounds of this kind."""
    case, learner = cell.case, cell.case.learner
    if cell.implementation.once is None:
        takes = settings_of(find_float(case.name))
        given = {"arm_features" if case.features else "arms", "dimensions"}
        given |= {"alpha"} if learner.has_alpha else set()
        needed = {name for name, must in takes.items() if must}
        fits = needed <= given <= takes.keys()
    else:  # a class takes the number of arms and of dimensions
        fits = not case.features
    if learner.fixed_arms or learner.late_context or not fits:
        raise GnomonError(
            "regret is measured in rounds with new contexts and with rewards linear in them;"
            f" {case.name} needs other rounds"
        )
    if case.arms > MOST_ARMS:
        raise GnomonError(f"regret is measured with at most {MOST_ARMS} arms, not {case.arms:,}")
