"""SoftUCB policies for many environments at once, and their simulation.

:mod:`.learner` has one environment as a learner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from gnomon.learn.kernels import Floats

from .arm_sets import ArmSets
from .index import (
    DELTA_SOFT,
    LEAST_BETA,
    EmptyRule,
    Index,
    covariance_term,
    draw,
    index,
    next_gamma,
    weights,
)


class Regression:
    """Ridge regression of B bandits, alpha = 1; with fixed arms all follows from z = X u."""

    def __init__(self, arm_sets: ArmSets) -> None:
        self._features = arm_sets.features
        count, _, dimensions = arm_sets.features.shape
        self._rows = np.arange(count)
        self.inverse: Floats = np.tile(np.eye(dimensions), (count, 1, 1))  # V^-1, (B, d, d)
        self.means: Floats = np.zeros(arm_sets.means.shape)  # mu_hat, (B, K)
        # q, (B, K); a difference, so rounding may leave it below 0
        self.squares: Floats = (arm_sets.features**2).sum(axis=-1)

    @property
    def norms(self) -> Floats:
        """n_i, (B, K)."""
        return np.sqrt(np.maximum(self.squares, 0.0))

    def update(self, arms: Any, rewards: Floats) -> None:
        """Learn one reward of one arm in each environment."""
        rows = self._rows
        x = self._features[rows, arms]
        u = (self.inverse @ x[:, :, None])[..., 0]
        z = (self._features @ u[:, :, None])[..., 0]
        denominator = 1.0 + z[rows, arms]
        error = (rewards - self.means[rows, arms]) / denominator
        self.means += error[:, None] * z
        self.squares -= z * (z / denominator[:, None])
        self.inverse -= u[:, :, None] * (u / denominator[:, None])[:, None, :]


class Policy(ABC):
    """Policy for B environments: ``choose`` one arm in each, ``learn`` their rewards."""

    def __init__(self, arm_sets: ArmSets, rng: np.random.Generator) -> None:
        self.regression = Regression(arm_sets)
        self.count, self.arms = arm_sets.means.shape
        self._rng = rng

    @abstractmethod
    def choose(self) -> Any:
        """Return an arm for each environment, (B)."""

    def learn(self, arms: Any, rewards: Floats) -> None:
        """Learn one reward for each environment, (B)."""
        self.regression.update(arms, rewards)


def play(arm_sets: ArmSets, policy: Policy, rounds: int, rng: np.random.Generator) -> Floats:
    """Return the cumulative regret by true means, (rounds, B)."""
    gaps, means = arm_sets.gaps, arm_sets.means
    rows = np.arange(len(means))
    regret = np.empty((rounds, len(means)))
    for at in range(rounds):
        arms = policy.choose()
        noise = arm_sets.noise_std * rng.standard_normal(len(means))
        policy.learn(arms, means[rows, arms] + noise)
        regret[at] = gaps[rows, arms]
    return regret.cumsum(axis=0)


class SoftPolicy(Policy):
    """SoftUCB, Algorithm 1, with a fixed beta; accumulates the gradient of equation (13)."""

    def __init__(
        self,
        arm_sets: ArmSets,
        rng: np.random.Generator,
        *,
        beta: Floats | float,
        eta: float = 0.003,
        empty: EmptyRule = "one",
    ) -> None:
        super().__init__(arm_sets, rng)
        # (B)
        self.beta: Floats = np.broadcast_to(np.asarray(beta, dtype=float), (self.count,)).copy()
        self.gamma: Floats = np.zeros(self.count)  # (B), of the previous round
        self.gradient: Floats = np.zeros(self.count)  # the sum over all rounds so far, (B)
        self.last_gradient: Floats = np.zeros(self.count)  # the term of the last round, (B)
        self._eta, self._empty = eta, empty
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
        self.gamma = next_gamma(self._index, DELTA_SOFT, self._empty)
        self.last_gradient = self._moved + self._eta * self._norm_sum
        self.gradient += self.last_gradient


class OnlineSoftPolicy(SoftPolicy):
    """SoftUCB that updates beta after every round by equation (15)."""

    def __init__(
        self,
        arm_sets: ArmSets,
        rng: np.random.Generator,
        *,
        rounds: int,
        beta: float = 1.0,
        learning_rate: float = 0.01,
        eta: float = 0.01,
        empty: EmptyRule = "one",
    ) -> None:
        super().__init__(arm_sets, rng, beta=beta, eta=eta, empty=empty)
        self._horizon, self._rate = rounds, learning_rate
        self._past: Floats = np.zeros(self.count)
        self._rounds = 0
        self.history: list[float] = []  # mean beta after each round

    def learn(self, arms: Any, rewards: Floats) -> None:
        super().learn(arms, rewards)
        self._rounds += 1
        self._past += self._moved
        left = self._horizon - self._rounds
        total = self._past + left * self._moved + self._eta * self._norm_sum
        self.beta = np.maximum(LEAST_BETA, self.beta + self._rate * total / self._horizon)
        self.history.append(float(self.beta.mean()))
