"""@title@ in float64; `learner.c` is the same in fixed point."""

from __future__ import annotations

import numpy as np

from gnomon.learn import Learner, Sizes


class GradientGreedy(Learner):
    """Predicts the reward of each arm by a linear function, learned by gradient steps."""

    name = "@name@"
    variant = "standard"
    follows_scores = False
    keeps = ("weights",)  # what learning changes

    def __init__(
        self, *, arms: int, dimensions: int, explore_every: int = 8, step: float = 0.125
    ) -> None:
        """Start with weights of zero."""
        super().__init__(Sizes(arms, dimensions))
        self.explore_every = explore_every
        self.step = step
        self.weights = np.zeros((arms, dimensions))

    def _scores(self, contexts: np.ndarray) -> np.ndarray:
        return np.einsum("ad,ad->a", self.weights, contexts)

    def _choose(self, contexts: np.ndarray) -> int:
        if self.steps % self.explore_every == 0:
            return self._arm_in_turn(self.steps // self.explore_every)
        return super()._choose(contexts)

    def _learn(self, contexts: np.ndarray, arm: int, reward: float) -> None:
        surprise = reward - self.weights[arm] @ contexts[arm]
        self.weights[arm] += self.step * surprise * contexts[arm]
