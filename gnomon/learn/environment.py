"""Synthetic contextual bandits: seeded, sampled in advance, the same for every learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats
from gnomon.learn.learner import Learner

ContextLaw: TypeAlias = Literal["uniform", "normal"]
"""Context values: uniform from 0 to 1, like scaled sensor readings, or standard normal."""

NOISE = 0.1
"""Standard deviation of the noise on a reward; expected rewards are of the order of 1."""


class Environment(Protocol):
    """A user-defined simulator, in which ``Log.from_play`` lets a learner play.

    Each round requests its context once, then the reward of one arm.
    """

    def context(self) -> ArrayLike:
        """Return the context of the next round: one vector (d), or one row per arm (arms, d)."""

    def reward(self, arm: int) -> float:
        """Return the reward of an arm in that round."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Contexts and rewards of T rounds, independent of the learner.

    Two learners that choose the same arm in a round get the same reward, noise included.

    Attributes:
        contexts: context of each round, (T, d).
        expected: expected reward of every arm, (T, N).
        noise: noise added to the reward of the chosen arm, (T).
        arm_features: features of the arms, (N, f); f is 0 if arms have none.
    """

    contexts: Floats = field(repr=False)
    expected: Floats = field(repr=False)
    noise: Floats = field(repr=False)
    arm_features: Floats = field(repr=False)

    @classmethod
    def linear(
        cls,
        *,
        rounds: int,
        arms: int,
        dimensions: int,
        features: int = 0,
        seed: int,
        law: ContextLaw = "uniform",
    ) -> Rounds:
        """Draw rewards ``theta_a^T x``, a hidden ``theta`` per arm; features add ``beta^T z_a``.

        z_a are the products of the features of an arm with the context. Features follow the same
        distribution as contexts and remain constant for the whole run.

        Raises:
            GnomonError: if a number is out of range.
        """
        for name, value in {"rounds": rounds, "arms": arms, "dimensions": dimensions}.items():
            if value < 1:
                raise GnomonError(f"the number of {name} must be at least 1, not {value}")
        for name, value in {"number of features": features, "seed": seed}.items():
            if value < 0:
                raise GnomonError(f"the {name} must not be negative, not {value}")
        rng = np.random.default_rng(seed)
        arm_features = _contexts(rng, law, arms, features)
        weights = rng.normal(size=(arms, dimensions)) / np.sqrt(dimensions)
        if features:
            beta = rng.normal(size=(features, dimensions)) / np.sqrt(features * dimensions)
            weights = weights + arm_features @ beta
        contexts = _contexts(rng, law, rounds, dimensions)
        noise = NOISE * rng.normal(size=rounds)
        return cls(contexts, contexts @ weights.T, noise, arm_features)

    def reward(self, round_index: int, arm: int) -> float:
        """Return the reward of an arm in a round."""
        return float(self.expected[round_index, arm] + self.noise[round_index])

    def best(self, round_index: int) -> float:
        """Return the expected reward of the best arm in a round."""
        return float(self.expected[round_index].max())

    def learner(self, kind: type[Learner], **settings: Any) -> Learner:
        """Return an empty learner for these rounds, with these settings in addition to its sizes.

        Raises:
            GnomonError: if a setting is out of range.
        """
        create: Callable[..., Learner] = kind
        if self.arm_features.size:
            settings["arm_features"] = self.arm_features
        else:
            settings["arms"] = self.expected.shape[1]
        return create(dimensions=self.contexts.shape[1], **settings)


def _contexts(rng: np.random.Generator, law: ContextLaw, count: int, length: int) -> Floats:
    if law == "uniform":
        return rng.uniform(size=(count, length))
    if law == "normal":
        return rng.normal(size=(count, length))
    raise GnomonError(f"contexts are uniform or normal, not {law!r}")
