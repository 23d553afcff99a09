"""UCB1, written once: fixed-point C is generated from this class."""

import numpy as np


class UCB1:
    """Means and their bounds; arms without a reward first."""

    keeps = ("count", "total", "rewards")

    def __init__(self, *, arms: int, dimensions: int, alpha: float = 1.0) -> None:
        self.arms, self.dimensions, self.alpha = arms, dimensions, alpha
        self.count = np.zeros(arms, dtype=np.int64)
        self.total = np.zeros(arms)
        self.rewards = 0

    def select(self, x: np.ndarray) -> int:  # noqa: ARG002 - contexts have no part
        scores = np.zeros(self.arms)
        twice_log = 2.0 * np.log(max(self.rewards, 1))
        for arm in range(self.arms):
            if self.count[arm] == 0:
                scores[arm] = 50.0
            else:
                mean = self.total[arm] / self.count[arm]
                scores[arm] = mean + self.alpha * np.sqrt(twice_log / self.count[arm])
        return int(np.argmax(scores))

    def update(self, x: np.ndarray, arm: int, reward: float) -> None:  # noqa: ARG002
        self.total[arm] += reward
        self.count[arm] += 1
        self.rewards += 1
