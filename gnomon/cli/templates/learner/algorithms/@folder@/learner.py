"""@title@ in float64; `learner.c` is the same learner in fixed point."""

from __future__ import annotations

import numpy as np

from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import add, dot, scale  # traces record calls of these functions


class GradientGreedy(Learner):
    """Learner with a linear prediction of the reward of each arm, trained by gradient steps."""

    name = "@name@"
    variant = "standard"
    follows_scores = False
    keeps = ("weights",)  # attributes that learning changes

    def __init__(
        self, *, arms: int, dimensions: int, explore_every: int = 8, step: float = 0.125
    ) -> None:
        """Start with weights of zero."""
        super().__init__(Sizes(arms, dimensions))
        self.explore_every = explore_every
        self.step = step
        self.weights = np.zeros((arms, dimensions))

    def _scores(self, contexts: np.ndarray) -> np.ndarray:
        return dot(self.weights, contexts)

    def _choose(self, contexts: np.ndarray) -> int:
        best = super()._choose(contexts)  # in every round, as in learner.c
        if self.steps % self.explore_every == 0:
            return self._arm_in_turn(self.steps // self.explore_every)
        return best

    def _learn(self, contexts: np.ndarray, arm: int, reward: float) -> None:
        surprise = reward - float(dot(self.weights[arm], contexts[arm]))
        change = scale(contexts[arm], self.step * surprise)
        self.weights[arm] = add(self.weights[arm], change)
