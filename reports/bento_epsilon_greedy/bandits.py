"""Linear bandits whose contexts are few: every expectation is a finite sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats

Noise: TypeAlias = Literal["normal", "double", "fluctuating"]
"""Of a reward with mean m: ``normal``: N(m, 0.1^2). ``double``: uniform between 0 and 2 m.
``fluctuating``: x^T (theta + e), each e_i uniform in -0.1 .. 0.1."""

NOISE = 0.1


@dataclass(frozen=True, slots=True)
class FiniteBandit:
    """M contexts with probabilities, K arms with weights."""

    contexts: Floats = field(repr=False)  # (M, d), of length 1
    weights: Floats = field(repr=False)  # probabilities of the contexts, (M)
    theta: Floats = field(repr=False)  # weights of the arms, (K, d)
    noise: Noise = "normal"  # distribution of the rewards

    @property
    def arms(self) -> int:
        return len(self.theta)

    @property
    def dimensions(self) -> int:
        """Length of a context, d."""
        return int(self.contexts.shape[1])

    @property
    def means(self) -> Floats:
        """Expected reward of each arm in each context, (M, K)."""
        return self.contexts @ self.theta.T

    @property
    def gaps(self) -> Floats:
        """Difference between the best arm and each arm, (M, K)."""
        means = self.means
        return np.asarray(means.max(axis=1, keepdims=True) - means)

    @property
    def uniform_regret(self) -> float:
        """Rho: mean regret of one step with any arm."""
        return float(self.weights @ self.gaps.mean(axis=1))

    @property
    def largest_distance(self) -> float:
        """Delta_max: the largest distance between the weights of two arms."""
        differences = self.theta[:, None] - self.theta[None]
        return float(np.linalg.norm(differences, axis=2).max())

    def draw(self, rounds: int, seed: int) -> FiniteRounds:
        """Sample contexts and rewards of a run."""
        if rounds < 1:
            raise GnomonError(f"the number of rounds must be at least 1, not {rounds}")
        if seed < 0:
            raise GnomonError(f"the seed must not be negative, not {seed}")
        rng = np.random.default_rng(seed)
        which = rng.choice(len(self.weights), size=rounds, p=self.weights)
        if self.noise == "normal":
            parts = NOISE * rng.normal(size=(rounds, 1))
        elif self.noise == "double":
            parts = rng.uniform(-1.0, 1.0, size=(rounds, 1))
        else:
            parts = rng.uniform(-NOISE, NOISE, size=(rounds, self.dimensions))
        return FiniteRounds(self, which, parts)


@dataclass(frozen=True, slots=True)
class FiniteRounds:
    """Outcomes of a run, independent of the learner."""

    bandit: FiniteBandit  # source of the contexts and means
    which: NDArray[np.int64] = field(repr=False)  # number of the context in each round, (T)
    parts: Floats = field(repr=False)  # components of the noise, (T, 1) or (T, d)

    def rewards(
        self, rounds: NDArray[np.int64], arms: NDArray[np.int64] | NDArray[np.intp]
    ) -> Floats:
        """Return rewards of arms in rounds, both of one shape."""
        bandit, contexts, parts = self.bandit, self.which[rounds], self.parts[rounds]
        means = bandit.means[contexts, arms]
        if bandit.noise == "fluctuating":
            return np.asarray(means + (bandit.contexts[contexts] * parts).sum(axis=-1))
        return np.asarray(means + parts[..., 0] * (means if bandit.noise == "double" else 1.0))

    def all_rewards(self) -> Floats:
        """Return rewards of every arm in every round, (T, K)."""
        every, arms = np.arange(len(self.which)), self.bandit.arms
        return np.stack([self.rewards(every, np.full(len(every), arm)) for arm in range(arms)], 1)


def binary_contexts(dimensions: int, odds: float = 0.5) -> tuple[Floats, Floats]:
    """Return all nonzero vectors of zeros and ones, of length 1, with their probabilities.

    Each component is 1 with probability ``odds``; a zero vector is sampled again.
    """
    corners = np.array(list(product((0.0, 1.0), repeat=dimensions))[1:])
    ones = corners.sum(axis=1)
    weights = odds**ones * (1.0 - odds) ** (dimensions - ones)
    return corners / np.sqrt(ones)[:, None], weights / weights.sum()


def _unit(theta: Floats) -> Floats:
    return np.asarray(theta / np.linalg.norm(theta, axis=1, keepdims=True))


def bernoulli_bandit(
    *, dimensions: int, arms: int, seed: int, noise: Noise = "fluctuating", odds: float = 0.5
) -> FiniteBandit:
    """Return G1, the example of the paper's section 4.1: weights uniform in 0 .. 1, of length 1."""
    theta = np.random.default_rng(seed).uniform(size=(arms, dimensions))
    return FiniteBandit(*binary_contexts(dimensions, odds), _unit(theta), noise)


def unit_bandit(*, seed: int, noise: Noise = "normal", arms: int = 6) -> FiniteBandit:
    """Return G2: seven equally likely contexts of three components; normal weights of length 1."""
    theta = np.random.default_rng(seed).normal(size=(arms, 3))
    return FiniteBandit(*binary_contexts(3), _unit(theta), noise)


def doubled_bandit(*, seed: int, arms: int = 6) -> FiniteBandit:
    """Return G3: as G2 without normalization, rewards uniform between 0 and twice their mean."""
    theta = np.random.default_rng(seed).normal(size=(arms, 3))
    return FiniteBandit(*binary_contexts(3), theta, "double")


def skewed_bandit(*, inverse_odds: int, seed: int, arms: int = 4) -> FiniteBandit:
    """Return contexts (1, 1) / sqrt(2), probability 1 / I, and (1, 0); weights of length 1."""
    theta = np.random.default_rng(seed).normal(size=(arms, 2))
    rare = 1.0 / inverse_odds
    contexts = np.array([[np.sqrt(0.5), np.sqrt(0.5)], [1.0, 0.0]])
    return FiniteBandit(contexts, np.array([rare, 1.0 - rare]), _unit(theta), "normal")
