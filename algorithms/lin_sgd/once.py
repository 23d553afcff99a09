"""Gradient steps with epsilon-greedy exploration, written once."""

import numpy as np

from gnomon.learn.draws import Draws


class GradientEpsilonGreedy:
    """The arm of the highest prediction; of one round in ``explore_every``, a random arm."""

    keeps = ("weights",)

    def __init__(
        self, *, arms: int, dimensions: int, step: float = 0.0625, explore_every: int = 16,
        seed: int = 1,
    ) -> None:  # fmt: skip
        self.arms, self.dimensions = arms, dimensions
        self.step, self.explore_every = step, explore_every
        self.weights = np.zeros((arms, dimensions))
        self.random = Draws(seed)

    def select(self, x: np.ndarray) -> int:
        scores = np.zeros(self.arms)
        for arm in range(self.arms):
            scores[arm] = self.weights[arm] @ x
        if self.random.below(self.explore_every) == 0:
            return self.random.below(self.arms)
        return int(np.argmax(scores))

    def update(self, x: np.ndarray, arm: int, reward: float) -> None:
        surprise = reward - self.weights[arm] @ x
        self.weights[arm] += (self.step * surprise) * x
