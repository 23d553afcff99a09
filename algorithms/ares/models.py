"""Ridge regressions on windows of contexts: one for each run, arm and window, or one factor.

Features are in the order 1, newest context, ..., oldest, so those of a smaller window are the
beginning of those of a larger one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.learn.kernels import Floats

from .system import CONTEXTS

UNTRAINED = 1e6
"""1 / epsilon: the width of a model without updates."""

DELTA = 0.1


def dimension(window: int, contexts: int = CONTEXTS) -> int:
    """Return D(s) = m s + 1."""
    return contexts * window + 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """Constants of the confidence width, equation (36)."""

    delta: float = DELTA  # probability of failure
    reward: float = 0.02  # B_R
    arm: float = 0.02  # B_c
    weights: float = 0.02  # B_G


class WindowModels:
    """Models of one window, lambda = 1."""

    def __init__(self, runs: int, arms: int, window: int, *, contexts: int = CONTEXTS) -> None:
        self.window, self.size = window, dimension(window, contexts)
        # P = (I + sum q q^T)^-1, (B, k, D, D)
        self.inverse: Floats = np.tile(np.eye(self.size), (runs, arms, 1, 1))
        self.weights: Floats = np.zeros((runs, arms, self.size))  # G, (B, k, D)
        self.log_determinant: Floats = np.zeros((runs, arms))  # ln det V, (B, k)
        self.trace: Floats = np.full((runs, arms), float(self.size))  # trace of P, (B, k)
        self.updates: Floats = np.zeros((runs, arms))  # N, (B, k)

    def arrays(self) -> dict[str, Floats]:
        """Return the arrays that learning changes, by name; not copies."""
        names = ("inverse", "weights", "log_determinant", "trace", "updates")
        return {name: getattr(self, name) for name in names}

    def predict(self, features: Floats, runs: Any, arms: Any) -> tuple[Floats, Floats]:
        """Return mean and q^T P q for pairs of a run and an arm; ``features`` covers all runs."""
        q = features[runs, : self.size]
        mean = (self.weights[runs, arms] * q).sum(axis=-1)
        w = (self.inverse[runs, arms] @ q[:, :, None])[..., 0]
        return mean, np.maximum((w * q).sum(axis=-1), 0.0)

    def width(self, bounds: Bounds, runs: Any, arms: Any) -> Floats:
        """Return b(a, s), equation (36); ``UNTRAINED`` before the first update."""
        n, trace = self.updates[runs, arms], self.trace[runs, arms]
        grown = np.log(1.0 / bounds.delta) + self.log_determinant[runs, arms] / 2
        noise = np.sqrt(2.0 * bounds.reward**2 * grown)
        left = np.maximum(self.size - trace, 0.0)
        cut = np.sqrt(n) * bounds.arm * bounds.reward / bounds.delta * np.sqrt(left)
        ridge = bounds.weights * np.sqrt(np.maximum(trace, 0.0))
        return np.where(n == 0, UNTRAINED, noise + cut + ridge)

    def learn(self, features: Floats, arms: Any, rewards: Floats) -> tuple[Floats, Floats]:
        """Update the model of one arm in every run; recursive least squares.

        Returns:
            The error before the update, and q^T P q before it, (B).
        """
        runs = np.arange(len(arms))
        q = features[:, : self.size]
        inverse, weights = self.inverse[runs, arms], self.weights[runs, arms]
        w = (inverse @ q[:, :, None])[..., 0]
        variance = np.maximum((w * q).sum(axis=-1), 0.0)
        g = 1.0 + variance
        error = rewards - (weights * q).sum(axis=-1)
        scaled = w / g[:, None]
        self.inverse[runs, arms] = inverse - w[:, :, None] * scaled[:, None, :]
        self.weights[runs, arms] = weights + error[:, None] * scaled
        self.log_determinant[runs, arms] += np.log(g)
        self.trace[runs, arms] -= (w * scaled).sum(axis=-1)
        self.updates[runs, arms] += 1
        return error, variance


@dataclass(frozen=True, slots=True)
class WindowFactor:
    """ARES-chol: the models of all windows of an arm from one triangular factor, exactly.

    V(s) is the leading block of V(s_N), and its Cholesky factor that of L. With h = L^-1 q and
    y = L^-1 (sum of rewards times q), mean, q^T V^-1 q and ln det of every window are sums over
    the first D(s) elements.
    """

    factor: Floats  # L, lower triangular, (D, D); V starts as I. Learning changes it
    solved: Floats  # y, (D). Learning changes it

    def predict(self, features: Floats) -> tuple[Floats, Floats, Floats]:
        """Return mean, q^T V^-1 q and ln det V, each summed up to every length."""
        h = np.zeros(len(features))
        for j in range(len(h)):
            h[j] = (features[j] - self.factor[j, :j] @ h[:j]) / self.factor[j, j]
        determinant = 2.0 * np.log(np.diag(self.factor)).cumsum()
        return (h * self.solved).cumsum(), (h * h).cumsum(), determinant

    def learn(self, features: Floats, reward: float) -> None:
        """Add q q^T to V and the reward times q to the sum, by one rotation for each column."""
        rest, left = features.copy(), float(reward)
        for j in range(len(rest)):
            diagonal, low = self.factor[j, j], rest[j]
            radius = np.hypot(diagonal, low)
            cosine, sine = diagonal / radius, low / radius
            column = self.factor[j:, j].copy()
            self.factor[j:, j] = cosine * column + sine * rest[j:]
            rest[j:] = cosine * rest[j:] - sine * column
            kept = self.solved[j]
            self.solved[j] = cosine * kept + sine * left
            left = cosine * left - sine * kept
