"""What an embedded learner is given: one step, a fresh model or after random steps; or rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.measure.learners._host import HostLearner
from gnomon.measure.learners._learner import EmbeddedLearner
from gnomon.measure.memory_words import Words

Case = Literal["fresh", "random"]
"""``fresh``: A = I, all else zero, as the published speed tests. ``random``: after seeded steps."""

CASES: tuple[Case, ...] = ("fresh", "random")
PUBLISHED_REWARD = -0.317605  # of the published update program


def to_steps(real: float | npt.NDArray[np.float64], fraction_bits: int) -> npt.NDArray[np.int32]:
    """Real numbers as fixed-point ones, rounded to nearest."""
    return np.rint(np.asarray(real) * 2.0**fraction_bits).astype(np.int32)


@dataclass(frozen=True, slots=True)
class ReferenceStep:
    """One step's input and, by the same C on this computer, its outcome; all in fixed point.

    ``model`` is None for a fresh one, which the program makes itself. ``model_selected`` is what a
    selection leaves of it: some learners note there what they chose.
    """

    model: Words | None
    context: Words
    features: Words | None
    reward: int
    alpha: int
    arm: int
    scores: Words
    model_after: Words
    model_selected: Words


@dataclass(frozen=True, slots=True)
class Play:
    """What a learner is given in many rounds, in fixed point.

    Attributes:
        contexts: (T, d).
        rewards: of every arm, (T, arms).
        features: of the arms, or None.
        alpha: weight of exploration; learners without one do not read it.
        fraction_bits: fractional bits (Q format) of all of them.
    """

    contexts: Words = field(repr=False)
    rewards: Words = field(repr=False)
    features: Words | None = field(repr=False)
    alpha: int
    fraction_bits: int

    @classmethod
    def of(
        cls,
        contexts: npt.NDArray[np.float64],
        rewards: npt.NDArray[np.float64],
        *,
        fraction_bits: int,
        features: npt.NDArray[np.float64] | None = None,
        alpha: float = 0.0,
    ) -> Play:
        """Real numbers in fixed point, each rounded to nearest."""
        return cls(
            to_steps(contexts, fraction_bits),
            to_steps(rewards, fraction_bits),
            None if features is None else to_steps(features, fraction_bits),
            int(to_steps(alpha, fraction_bits)),
            fraction_bits,
        )

    def on(self, host: HostLearner) -> Words:
        """The arms that the host build plays, from a fresh model on, (T,)."""
        self.start(host)
        return host.run(self.contexts, self.rewards).astype(np.int32)

    def following(self, host: HostLearner, played: npt.NDArray[np.integer[Any]]) -> Words:
        """The arms that it would choose if those in ``played`` are learned instead, (T,)."""
        self.start(host)
        return host.follow(self.contexts, self.rewards, played).astype(np.int32)

    def start(self, host: HostLearner) -> None:
        """Give it features and weight of exploration, and a fresh model."""
        host.alpha = self.alpha
        if self.features is not None:
            host.features = self.features
        host.reset()


def make_step(
    learner: EmbeddedLearner,
    build: Callable[[], HostLearner],
    case: str,
    seed: int,
    warm_steps: int,
    *,
    correcting: bool,
) -> ReferenceStep:
    """See :meth:`LearnerBench.step`."""
    if case not in CASES:
        raise GnomonError(f"unknown case {case!r} (allowed: {', '.join(CASES)})")
    if seed < 0:
        raise GnomonError(f"the seed must not be negative, not {seed}")
    host = build()
    sizes, bits = host.sizes, host.fraction_bits
    host.alpha = int(to_steps(learner.alpha, bits))
    host.reset()
    model = None
    context = np.zeros(sizes.d, dtype=np.int32)
    width = sizes.d if learner.fixed_arms else sizes.f
    features = None if width is None else np.zeros((sizes.arms, width), dtype=np.int32)
    reward = int(to_steps(PUBLISHED_REWARD, bits))
    if case == "random":
        rng = np.random.default_rng(seed)
        if width is not None:
            rows = rng.uniform(-1, 1, (sizes.arms, width))
            if learner.fixed_arms:  # at most 1 long, also when rounded
                rows *= 0.999 / np.linalg.norm(rows, axis=1, keepdims=True)
            features = to_steps(rows, bits)
            host.features = features
        contexts = to_steps(rng.uniform(-1, 1, (1 + warm_steps, sizes.d)), bits)
        rewards = to_steps(rng.uniform(0, 1, (1 + warm_steps, sizes.arms)), bits)
        host.run(contexts[:-1], rewards[:-1])
        model, context, reward = host.model, contexts[-1], int(rewards[-1, 0])
    if correcting:
        model = host.model
        model[-1] = 1  # updates left until a correction, see paper_correction.h
        host.model = model
    host.context = context
    host.clear_scores()
    arm = host.select()
    scores, selected = host.scores, host.model
    host.update(arm, reward)
    return ReferenceStep(
        model, context, features, reward, host.alpha, arm, scores, host.model, selected
    )
