"""Disjoint LinearUCB, written once: fixed-point C is generated from these classes."""

import numpy as np


class LinUCB:
    """The inverse is kept; theta moves along with it."""

    keeps = ("inverse", "theta")

    def __init__(self, *, arms: int, dimensions: int, alpha: float = 0.5) -> None:
        self.arms, self.dimensions, self.alpha = arms, dimensions, alpha
        self.inverse = np.tile(np.eye(dimensions), (arms, 1, 1))
        self.theta = np.zeros((arms, dimensions))

    def select(self, x: np.ndarray) -> int:
        scores = np.zeros(self.arms)
        for arm in range(self.arms):
            width = np.sqrt(max(x @ (self.inverse[arm] @ x), 0.0))
            scores[arm] = self.theta[arm] @ x + self.alpha * width
        return int(np.argmax(scores))

    def update(self, x: np.ndarray, arm: int, reward: float) -> None:
        v = self.inverse[arm] @ x
        gain = v / (1.0 + x @ v)
        surprise = reward - self.theta[arm] @ x
        self.inverse[arm] -= np.outer(gain, v)
        self.theta[arm] += surprise * gain


class LinUCBPublished:
    """Algorithm 1: b is kept, and theta computed for every score."""

    keeps = ("inverse", "b")

    def __init__(self, *, arms: int, dimensions: int, alpha: float = 0.5) -> None:
        self.arms, self.dimensions, self.alpha = arms, dimensions, alpha
        self.inverse = np.tile(np.eye(dimensions), (arms, 1, 1))
        self.b = np.zeros((arms, dimensions))

    def select(self, x: np.ndarray) -> int:
        scores = np.zeros(self.arms)
        for arm in range(self.arms):
            theta = self.inverse[arm] @ self.b[arm]
            width = np.sqrt(max(x @ (self.inverse[arm] @ x), 0.0))
            scores[arm] = theta @ x + self.alpha * width
        return int(np.argmax(scores))

    def update(self, x: np.ndarray, arm: int, reward: float) -> None:
        v = self.inverse[arm] @ x
        self.inverse[arm] -= np.outer(v, v) / (1.0 + x @ v)
        self.b[arm] += reward * x
