"""Discounted LinearUCB, written once: fixed-point C is generated from this class."""

import numpy as np


class DiscountedLinUCB:
    """The recursive form of ``learner.py``: each round fades all arms, and renews one direction."""

    keeps = ("inverse", "theta", "turn")

    def __init__(
        self, *, arms: int, dimensions: int, alpha: float = 0.5, discount: float = 0.99
    ) -> None:
        self.arms, self.dimensions, self.alpha = arms, dimensions, alpha
        self.growth = 1.0 / discount
        self.renewed = dimensions * (1.0 - discount)
        self.inverse = np.tile(np.eye(dimensions), (arms, 1, 1))
        self.theta = np.zeros((arms, dimensions))
        self.turn = 0

    def select(self, x: np.ndarray) -> int:
        scores = np.zeros(self.arms)
        for arm in range(self.arms):
            width = np.sqrt(max(x @ (self.inverse[arm] @ x), 0.0))
            scores[arm] = self.theta[arm] @ x + self.alpha * width
        return int(np.argmax(scores))

    def update(self, x: np.ndarray, arm: int, reward: float) -> None:
        i = self.turn % self.dimensions
        for each in range(self.arms):
            self.inverse[each] *= self.growth
            column = self.inverse[each, i].copy()
            share = self.renewed / (1.0 + self.renewed * column[i])
            self.inverse[each] -= share * np.outer(column, column)
            self.theta[each] -= (share * self.theta[each, i]) * column
        v = self.inverse[arm] @ x
        gain = v / (1.0 + x @ v)
        surprise = reward - self.theta[arm] @ x
        self.inverse[arm] -= np.outer(v, v) / (1.0 + x @ v)
        self.theta[arm] += surprise * gain
        self.turn += 1
