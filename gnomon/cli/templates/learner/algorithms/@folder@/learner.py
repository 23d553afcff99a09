"""@title@ in float64; `learner.c` is the same in fixed point."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.learn import Learner, Sizes


class GradientGreedy(Learner):
    """Predicts the reward of each arm by a linear function, learned by gradient steps."""

    name = "@name@"
    variant = "standard"
    follows_scores = False

    def __init__(
        self, *, arms: int, dimensions: int, explore_every: int = 8, step: float = 0.125
    ) -> None:
        """Start with weights of zero."""
        super().__init__(Sizes(arms, dimensions))
        self.explore_every = explore_every
        self.step = step
        self.weights = np.zeros((arms, dimensions))

    @property
    def settings(self) -> dict[str, Any]:
        """What makes an empty one like this."""
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "explore_every": self.explore_every,
            "step": self.step,
        }

    @property
    def state(self) -> dict[str, np.ndarray]:
        """What learning changes."""
        return {"weights": self.weights}

    def _scores(self, contexts: np.ndarray) -> np.ndarray:
        return np.einsum("ad,ad->a", self.weights, contexts)

    def _choose(self, contexts: np.ndarray) -> int:
        if self.steps % self.explore_every == 0:
            return self._arm_in_turn(self.steps // self.explore_every)
        return super()._choose(contexts)

    def _learn(self, contexts: np.ndarray, arm: int, reward: float) -> None:
        surprise = reward - self.weights[arm] @ contexts[arm]
        self.weights[arm] += self.step * surprise * contexts[arm]
