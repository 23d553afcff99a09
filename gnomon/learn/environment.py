"""Synthetic contextual bandits: seeded, drawn in advance, the same for every learner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

ContextLaw: TypeAlias = Literal["uniform", "normal"]
"""Context values: uniform from 0 to 1, like scaled sensor readings, or standard normal."""

NOISE = 0.1
"""Standard deviation of the noise on a reward; expected rewards are of the order of 1."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """What happens in a run of T rounds, whatever a learner does.

    Two learners that choose the same arm in a round get the same reward, noise included.

    Attributes:
        contexts: (T, d).
        expected: expected reward of every arm, (T, N).
        noise: added to the reward of the arm that is chosen, (T).
        arm_features: (N, f); f is 0 in a disjoint environment.
    """

    contexts: Floats = field(repr=False)
    expected: Floats = field(repr=False)
    noise: Floats = field(repr=False)
    arm_features: Floats = field(repr=False)

    def reward(self, round_index: int, arm: int) -> float:
        """The reward of an arm in a round."""
        return float(self.expected[round_index, arm] + self.noise[round_index])

    def best(self, round_index: int) -> float:
        """The expected reward of the best arm in a round."""
        return float(self.expected[round_index].max())


def disjoint_rounds(
    *, rounds: int, arms: int, dimensions: int, seed: int, law: ContextLaw = "uniform"
) -> Rounds:
    """Rewards ``theta_a^T x``, one hidden ``theta`` per arm.

    Raises:
        GnomonError: a number is out of range.
    """
    rng = _generator(rounds=rounds, arms=arms, dimensions=dimensions, seed=seed)
    theta = rng.normal(size=(arms, dimensions)) / np.sqrt(dimensions)
    contexts = _contexts(rng, law, rounds, dimensions)
    noise = NOISE * rng.normal(size=rounds)
    return Rounds(contexts, contexts @ theta.T, noise, np.zeros((arms, 0)))


def hybrid_rounds(
    *,
    rounds: int,
    arms: int,
    dimensions: int,
    features: int,
    seed: int,
    law: ContextLaw = "uniform",
) -> Rounds:
    """Rewards ``beta^T z_a + theta_a^T x`` with z_a the products of arm features and context.

    Arm features follow the same law as contexts and stay for the whole run.

    Raises:
        GnomonError: a number is out of range.
    """
    rng = _generator(rounds=rounds, arms=arms, dimensions=dimensions, features=features, seed=seed)
    arm_features = _contexts(rng, law, arms, features)
    theta = rng.normal(size=(arms, dimensions)) / np.sqrt(dimensions)
    beta = rng.normal(size=(features, dimensions)) / np.sqrt(features * dimensions)
    contexts = _contexts(rng, law, rounds, dimensions)
    noise = NOISE * rng.normal(size=rounds)
    return Rounds(contexts, contexts @ (theta + arm_features @ beta).T, noise, arm_features)


def _generator(*, seed: int, **sizes: int) -> np.random.Generator:
    for name, value in sizes.items():
        if value < 1:
            raise GnomonError(f"the number of {name} must be at least 1, not {value}")
    if seed < 0:
        raise GnomonError(f"the seed must not be negative, not {seed}")
    return np.random.default_rng(seed)


def _contexts(rng: np.random.Generator, law: ContextLaw, count: int, length: int) -> Floats:
    if law == "uniform":
        return rng.uniform(size=(count, length))
    if law == "normal":
        return rng.normal(size=(count, length))
    raise GnomonError(f"contexts are uniform or normal, not {law!r}")
