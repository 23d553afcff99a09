"""Ridge regressions on windows of contexts: one for each run, arm and window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.learn.ares._system import CONTEXTS

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


def dimension(window: int, contexts: int = CONTEXTS) -> int:
    """D(s) = m s + 1."""
    return contexts * window + 1


@dataclass(frozen=True, slots=True)
class Bounds:
    """The constants of the confidence width, equation (36).

    Attributes:
        delta: probability of failure.
        reward: B_R.
        arm: B_c.
        weights: B_G.
    """

    delta: float = 0.1
    reward: float = 0.02
    arm: float = 0.02
    weights: float = 0.02


UNTRAINED = 1e6
"""1 / epsilon: the width of a model without updates."""


class WindowModels:
    """The models of one window.

    Attributes:
        inverse: P = (lambda I + sum q q^T)^-1, (B, k, D, D).
        weights: G, (B, k, D).
        log_determinant: ln det V - D ln lambda, (B, k).
        trace: of P, (B, k).
        updates: N, (B, k).
    """

    def __init__(
        self,
        runs: int,
        arms: int,
        window: int,
        regularisation: float = 1.0,
        *,
        contexts: int = CONTEXTS,
    ) -> None:
        self.window, self.size = window, dimension(window, contexts)
        self._lambda = regularisation
        self.inverse: Floats = np.tile(np.eye(self.size) / regularisation, (runs, arms, 1, 1))
        self.weights: Floats = np.zeros((runs, arms, self.size))
        self.log_determinant: Floats = np.zeros((runs, arms))
        self.trace: Floats = np.full((runs, arms), self.size / regularisation)
        self.updates: Floats = np.zeros((runs, arms))

    def arrays(self) -> dict[str, Floats]:
        """The arrays that learning changes, by name; not copies."""
        return {
            "inverse": self.inverse,
            "weights": self.weights,
            "log_determinant": self.log_determinant,
            "trace": self.trace,
            "updates": self.updates,
        }

    def predict(self, features: Floats, runs: Any, arms: Any) -> tuple[Floats, Floats]:
        """Mean and q^T P q for pairs of a run and an arm; features are those of all runs."""
        q = features[runs, : self.size]
        mean = (self.weights[runs, arms] * q).sum(axis=-1)
        w = (self.inverse[runs, arms] @ q[:, :, None])[..., 0]
        return mean, np.maximum((w * q).sum(axis=-1), 0.0)

    def width(self, bounds: Bounds, runs: Any, arms: Any) -> Floats:
        """b(a, s), equation (36); ``UNTRAINED`` before the first update."""
        n, trace = self.updates[runs, arms], self.trace[runs, arms]
        grown = np.log(1.0 / bounds.delta) + self.log_determinant[runs, arms] / 2
        noise = np.sqrt(2.0 * bounds.reward**2 * grown)
        left = np.maximum(self.size - self._lambda * trace, 0.0)
        cut = np.sqrt(n) * bounds.arm * bounds.reward / bounds.delta * np.sqrt(left)
        ridge = self._lambda * bounds.weights * np.sqrt(np.maximum(trace, 0.0))
        return np.where(n == 0, UNTRAINED, noise + cut + ridge)

    def learn(self, features: Floats, arms: Any, rewards: Floats) -> tuple[Floats, Floats]:
        """Update the model of one arm in every run; recursive least squares.

        Returns:
            The error before the update, and q^T P q before it, (B).
        """
        runs = np.arange(len(arms))
        q = features[:, : self.size]
        inverse = self.inverse[runs, arms]
        w = (inverse @ q[:, :, None])[..., 0]
        variance = np.maximum((w * q).sum(axis=-1), 0.0)
        g = 1.0 + variance
        weights = self.weights[runs, arms]
        error = rewards - (weights * q).sum(axis=-1)
        scaled = w / g[:, None]
        self.inverse[runs, arms] = inverse - w[:, :, None] * scaled[:, None, :]
        self.weights[runs, arms] = weights + error[:, None] * scaled
        self.log_determinant[runs, arms] += np.log(g)
        self.trace[runs, arms] -= (w * scaled).sum(axis=-1)
        self.updates[runs, arms] += 1
        return error, variance
