"""The same decisions with few solves: an arm is solved when it is needed after it was explored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn.epsilon_greedy._coin import Coin, ConstantCoin
from gnomon.learn.epsilon_greedy._exploring import Exploring
from gnomon.learn.epsilon_greedy._literal import solve_arm

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class Lazy(Exploring):
    """Keeps theta, which changes only when its arm is explored.

    Attributes:
        theta: (K, d).
        dirty: 1 for arms explored since they were solved, (K).
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.theta: Floats = np.zeros_like(self.b)
        self.dirty: Floats = np.zeros(self.sizes.arms)

    @property
    def state(self) -> dict[str, Floats]:
        return {**super().state, "theta": self.theta, "dirty": self.dirty}

    def _theta(self) -> Floats:
        for arm in np.flatnonzero(self.dirty):
            self.theta[arm] = solve_arm(self.a[arm], self.b[arm], float(self.count[arm]))
            self.dirty[arm] = 0.0
        return self.theta

    def _learn_explored(self, x: Floats, arm: int, reward: float) -> None:
        super()._learn_explored(x, arm, reward)
        self.dirty[arm] = 1.0


class LazyEpsilonGreedy(Lazy, Coin):
    """Bit for bit the choices of ``EpsilonGreedy``, with at most one solve per explored step."""

    variant: ClassVar[str] = "optimized"


class FixedEpsilonGreedy(Lazy, ConstantCoin):
    """The same estimator under constant exploration."""

    variant: ClassVar[str] = "standard"
