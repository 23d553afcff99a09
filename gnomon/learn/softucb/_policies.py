"""The policies that the paper compares, each for many environments side by side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.learn.softucb._bounds import confidence_width
from gnomon.learn.softucb._index import (
    EmptyRule,
    Index,
    covariance_term,
    draw,
    index,
    next_gamma,
    weights,
)
from gnomon.learn.softucb._regression import Regression

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats
    from gnomon.learn.softucb._arm_sets import ArmSets


class Policy(ABC):
    """A policy for B environments: ``choose`` one arm in each, ``learn`` their rewards."""

    def __init__(self, arm_sets: ArmSets, rng: np.random.Generator, alpha: float = 1.0) -> None:
        self.regression = Regression(arm_sets, alpha)
        self.count, self.arms = arm_sets.means.shape
        self._rng = rng

    @abstractmethod
    def choose(self) -> Any:
        """An arm for each environment, (B)."""

    def learn(self, arms: Any, rewards: Floats) -> None:
        """One reward for each environment, (B)."""
        self.regression.update(arms, rewards)


class UniformPolicy(Policy):
    """Any arm, each as likely."""

    def choose(self) -> Any:
        return self._rng.integers(0, self.arms, self.count)

    def learn(self, arms: Any, rewards: Floats) -> None:
        """Nothing."""


class UpperBoundPolicy(Policy):
    """LinUCB, which is the index of OFUL: the largest mu_hat + beta n."""

    def __init__(
        self, arm_sets: ArmSets, rng: np.random.Generator, *, beta: float, alpha: float = 1.0
    ) -> None:
        super().__init__(arm_sets, rng, alpha)
        self._beta = beta

    def choose(self) -> Any:
        return (self.regression.means + self._beta * self.regression.norms).argmax(axis=1)


class GrowingBoundPolicy(Policy):
    """LinUCB as released by the authors: the width of equation (5) grows with t."""

    def __init__(
        self, arm_sets: ArmSets, rng: np.random.Generator, *, delta_conf: float = 0.1
    ) -> None:
        super().__init__(arm_sets, rng)
        self._noise_std, self._delta = arm_sets.noise_std, delta_conf
        self._dimensions, self._rounds = arm_sets.features.shape[2], 0

    def choose(self) -> Any:
        self._rounds += 1
        beta = confidence_width(
            self._dimensions, self._rounds, subgaussian=self._noise_std, delta_conf=self._delta
        )
        return (self.regression.means + beta * self.regression.norms).argmax(axis=1)


class ThompsonPolicy(Policy):
    """LinTS: theta drawn from N(theta_hat, v2 V^-1)."""

    def __init__(
        self, arm_sets: ArmSets, rng: np.random.Generator, *, variance: float, alpha: float = 1.0
    ) -> None:
        super().__init__(arm_sets, rng, alpha)
        self._features, self._variance = arm_sets.features, variance

    def choose(self) -> Any:
        inverse = self.regression.inverse
        factor = np.linalg.cholesky((inverse + inverse.swapaxes(1, 2)) / 2)
        normal = self._rng.standard_normal(inverse.shape[:2])
        moved = (factor @ normal[:, :, None]) * np.sqrt(self._variance)
        return (self.regression.means + (self._features @ moved)[..., 0]).argmax(axis=1)


class EpsilonGreedyPolicy(Policy):
    """The largest estimate, and with probability epsilon any arm."""

    def __init__(
        self, arm_sets: ArmSets, rng: np.random.Generator, *, epsilon: float, alpha: float = 1.0
    ) -> None:
        super().__init__(arm_sets, rng, alpha)
        self._epsilon = epsilon

    def choose(self) -> Any:
        explored = self._rng.random(self.count) < self._epsilon
        blind = self._rng.integers(0, self.arms, self.count)
        return np.where(explored, blind, self.regression.means.argmax(axis=1))


class SoftPolicy(Policy):
    """SoftUCB, Algorithm 1, with a fixed beta; sums up the gradient of equation (13) on the way.

    Attributes:
        beta: (B).
        gamma: (B), of the round before.
        gradient: the sum over all rounds so far, (B).
        last_gradient: the term of the last round, (B).
    """

    def __init__(
        self,
        arm_sets: ArmSets,
        rng: np.random.Generator,
        *,
        beta: Floats | float,
        eta: float = 0.003,
        delta_soft: float = 0.99,
        alpha: float = 1.0,
        empty: EmptyRule = "one",
    ) -> None:
        super().__init__(arm_sets, rng, alpha)
        self.beta: Floats = np.broadcast_to(np.asarray(beta, dtype=float), (self.count,)).copy()
        self.gamma: Floats = np.zeros(self.count)
        self.gradient: Floats = np.zeros(self.count)
        self.last_gradient: Floats = np.zeros(self.count)
        self._eta, self._delta, self._empty = eta, delta_soft, empty
        self._index: Index | None = None
        self._moved: Floats = np.zeros(self.count)
        self._norm_sum: Floats = np.zeros(self.count)

    def choose(self) -> Any:
        means, norms = self.regression.means, self.regression.norms
        self._index = index(means, norms, self.beta)
        of_arms = weights(self._index.upper, self.gamma)
        self._moved = covariance_term(means, norms, of_arms, self.gamma)
        self._norm_sum = norms.sum(axis=1)
        return draw(of_arms, self._rng.random(self.count))

    def learn(self, arms: Any, rewards: Floats) -> None:
        assert self._index is not None
        super().learn(arms, rewards)
        self.gamma = next_gamma(self._index, self._delta, self._empty)
        self.last_gradient = self._moved + self._eta * self._norm_sum
        self.gradient += self.last_gradient


class OnlineSoftPolicy(SoftPolicy):
    """SoftUCB that moves beta after every round, by equation (15).

    Attributes:
        history: mean beta after each round.
    """

    def __init__(
        self,
        arm_sets: ArmSets,
        rng: np.random.Generator,
        *,
        rounds: int,
        beta: float = 1.0,
        learning_rate: float = 0.01,
        least_beta: float = 1e-3,
        eta: float = 0.01,
        delta_soft: float = 0.99,
        empty: EmptyRule = "one",
    ) -> None:
        super().__init__(arm_sets, rng, beta=beta, eta=eta, delta_soft=delta_soft, empty=empty)
        self._horizon, self._rate, self._least = rounds, learning_rate, least_beta
        self._past: Floats = np.zeros(self.count)
        self._rounds = 0
        self.history: list[float] = []

    def learn(self, arms: Any, rewards: Floats) -> None:
        super().learn(arms, rewards)
        self._rounds += 1
        self._past += self._moved
        left = self._horizon - self._rounds
        total = self._past + left * self._moved + self._eta * self._norm_sum
        self.beta = np.maximum(self._least, self.beta + self._rate * total / self._horizon)
        self.history.append(float(self.beta.mean()))
