"""Banditron in float64."""

from __future__ import annotations

import numpy as np

from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import add, dot, scale


class Banditron(Learner):
    """Perceptron with uniform exploration."""

    name = "banditron"
    variant = "standard"
    follows_scores = False
    keeps = ("weights", "best")

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        share: float = 0.125,
        step: float = 0.0625,
        seed: int = 0,
    ) -> None:
        super().__init__(Sizes(arms, dimensions), seed=seed)
        self.share = share
        self.step = step
        self.weights = np.zeros((arms, dimensions))
        self.best = np.zeros(1)

    def _scores(self, contexts: np.ndarray) -> np.ndarray:
        return dot(self.weights, contexts)

    def _choose(self, contexts: np.ndarray) -> int:
        best = super()._choose(contexts)
        self.best[0] = best
        return self._random_arm() if float(self._random()[0]) < self.share else best

    def _learn(self, contexts: np.ndarray, arm: int, reward: float) -> None:
        best = int(self.best[0])
        k = len(self.weights)
        chance = self.share / k + (1 - self.share if arm == best else 0)
        self.weights[arm] = add(
            self.weights[arm], scale(contexts[arm], self.step * reward / chance)
        )
        self.weights[best] = add(self.weights[best], scale(contexts[best], -self.step))
