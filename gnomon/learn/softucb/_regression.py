"""Ridge regression of many bandits at once, updated by Sherman and Morrison's formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats
    from gnomon.learn.softucb._arm_sets import ArmSets


class Regression:
    """V^-1, and for every arm its estimate and q = n^2; with fixed arms all follow from z = X u.

    Attributes:
        inverse: V^-1, (B, d, d).
        means: mu_hat, (B, K).
        squares: q, (B, K); a difference, so rounding may leave it below 0.
    """

    def __init__(self, arm_sets: ArmSets, alpha: float) -> None:
        self._features = arm_sets.features
        count, _, dimensions = arm_sets.features.shape
        self._rows = np.arange(count)
        self.inverse: Floats = np.tile(np.eye(dimensions) / alpha, (count, 1, 1))
        self.means: Floats = np.zeros(arm_sets.means.shape)
        self.squares: Floats = (arm_sets.features**2).sum(axis=-1) / alpha

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
