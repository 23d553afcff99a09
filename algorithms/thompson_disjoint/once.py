"""Linear Thompson sampling, written once: fixed-point C is generated from this class."""

import numpy as np

from gnomon.learn.draws import Draws


class LinearThompson:
    """Each score is sampled: its mean, and its width times a sum of 12 uniform numbers."""

    keeps = ("inverse", "theta")

    def __init__(self, *, arms: int, dimensions: int, alpha: float = 0.5, seed: int = 1) -> None:
        self.arms, self.dimensions, self.alpha = arms, dimensions, alpha
        self.inverse = np.tile(np.eye(dimensions), (arms, 1, 1))
        self.theta = np.zeros((arms, dimensions))
        self.random = Draws(seed)

    def select(self, x: np.ndarray) -> int:
        scores = np.zeros(self.arms)
        for arm in range(self.arms):
            width = np.sqrt(max(x @ (self.inverse[arm] @ x), 0.0))
            scores[arm] = self.theta[arm] @ x + self.alpha * (width * self._normal())
        return int(np.argmax(scores))

    def _normal(self) -> float:
        total = 0
        for _draw in range(12):
            total += self.random.below(4096)
        return (total - 24570) / 4096.0

    def update(self, x: np.ndarray, arm: int, reward: float) -> None:
        v = self.inverse[arm] @ x
        gain = v / (1.0 + x @ v)
        surprise = reward - self.theta[arm] @ x
        self.inverse[arm] -= np.outer(gain, v)
        self.theta[arm] += surprise * gain
