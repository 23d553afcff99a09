"""ARES-chol: the regressions of all windows of an arm from one triangular factor (exact).

Features are in the order 1, newest context, ..., oldest, so V(s) is the leading block of V(s_N),
and its Cholesky factor the leading block of L. With h = L^-1 q and y = L^-1 (sum of rewards
times q), mean, q^T V^-1 q and ln det of every window are sums over the first D(s) elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class WindowFactor:
    """L and y of one arm.

    Attributes:
        factor: L, lower triangular, (D, D); V starts as lambda I.
        solved: y, (D).
    """

    def __init__(self, size: int, regularisation: float = 1.0) -> None:
        self.factor: Floats = np.sqrt(regularisation) * np.eye(size)
        self.solved: Floats = np.zeros(size)
        self._log_prior = np.log(regularisation) * np.arange(1, size + 1)

    def predict(self, features: Floats) -> tuple[Floats, Floats, Floats]:
        """Mean, q^T V^-1 q and ln det V - D ln lambda, each summed up to every length."""
        h = forward(self.factor, features)
        determinant = 2.0 * np.log(np.diag(self.factor)).cumsum() - self._log_prior
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


def forward(factor: Floats, right: Floats) -> Floats:
    """L^-1 b, row by row."""
    x = np.zeros(len(right))
    for j in range(len(right)):
        x[j] = (right[j] - factor[j, :j] @ x[:j]) / factor[j, j]
    return x
