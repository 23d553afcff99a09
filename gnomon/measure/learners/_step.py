"""Inputs of an embedded learner: one step, of a fresh model or after random steps; or rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.measure.learners._host import HostLearner
from gnomon.measure.learners._learner import EmbeddedLearner
from gnomon.measure.memory_words import Words

Case = Literal["fresh", "random"]
"""``fresh``: A = I, else zeros, as in the published speed tests. ``random``: after seeded steps."""

CASES: tuple[Case, ...] = ("fresh", "random")
PUBLISHED_REWARD = -0.317605  # from the published update program


def to_steps(real: float | npt.NDArray[np.float64], fraction_bits: int) -> npt.NDArray[np.int32]:
    """Return real numbers as fixed-point numbers, rounded to nearest."""
    return np.rint(np.asarray(real) * 2.0**fraction_bits).astype(np.int32)


@dataclass(frozen=True, slots=True)
class ReferenceStep:
    """Input of one step and its outcome by the same C on the host; all in fixed point.

    ``model`` is None for a fresh model, which the program creates. ``model_selected`` is the model
    after the selection: some learners store their choice there.
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
    """Inputs of a learner for many rounds, in fixed point.

    Attributes:
        contexts: context of each round, (T, d).
        rewards: reward of every arm, (T, arms).
        features: features of the arms, or None.
        alpha: weight of exploration; learners without one do not read it.
        fraction_bits: fractional bits (Q format) of all these numbers.
    """

    contexts: Words = field(repr=False)
    rewards: Words = field(repr=False)
    features: Words | None = field(repr=False)
    alpha: int
    fraction_bits: int

    @classmethod
    def from_floats(
        cls,
        contexts: npt.NDArray[np.float64],
        rewards: npt.NDArray[np.float64],
        *,
        fraction_bits: int,
        features: npt.NDArray[np.float64] | None = None,
        alpha: float = 0.0,
    ) -> Play:
        """Return real numbers in fixed point, each rounded to nearest."""
        return cls(
            to_steps(contexts, fraction_bits),
            to_steps(rewards, fraction_bits),
            None if features is None else to_steps(features, fraction_bits),
            int(to_steps(alpha, fraction_bits)),
            fraction_bits,
        )

    def on(self, host: HostLearner) -> Words:
        """Return the arms that the host build plays, starting with a fresh model, (T,)."""
        self.start(host)
        return host.run(self.contexts, self.rewards).astype(np.int32)

    def following(self, host: HostLearner, played: npt.NDArray[np.integer[Any]]) -> Words:
        """Return the arms that it would choose if it learns those in ``played`` instead, (T,)."""
        self.start(host)
        return host.follow(self.contexts, self.rewards, played).astype(np.int32)

    def start(self, host: HostLearner) -> None:
        """Set features, weight of exploration, and a fresh model."""
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
    """Return the input and outcome of one step, see :meth:`LearnerBench.step`."""
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
            if learner.fixed_arms:  # norm at most 1, also when rounded
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
    return _taken(host, model, context, features, [reward] * sizes.arms)


def next_step(host: HostLearner, play: Play, at: int) -> ReferenceStep:
    """Let the host take the step of a round, and return its input and outcome.

    The host must have learned the rounds before it: the step continues the same run.
    """
    return _taken(host, host.model, play.contexts[at], play.features, play.rewards[at].tolist())


def _taken(
    host: HostLearner,
    model: Words | None,
    context: Words,
    features: Words | None,
    rewards: Sequence[int],
) -> ReferenceStep:
    host.context = context
    host.clear_scores()
    arm = host.select()
    scores, selected, reward = host.scores, host.model, rewards[arm]
    host.update(arm, reward)
    return ReferenceStep(
        model, context, features, reward, host.alpha, arm, scores, host.model, selected
    )
