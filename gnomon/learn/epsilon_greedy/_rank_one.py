"""A fixed ridge of 1 in place of sqrt(n): another algorithm, whose inverse has rank-one updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn.epsilon_greedy._coin import Coin
from gnomon.learn.kernels import add, matvec, scale, sherman_morrison

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class RankOneEpsilonGreedy(Coin):
    """Sherman-Morrison is exact here; with the paper's ridge it is not, as every diagonal moves.

    Attributes:
        a: here the inverse of I + sum of x x^T, (K, d, d).
        theta: (K, d).
    """

    variant: ClassVar[str] = "rank-one"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a[...] = np.eye(self.sizes.dimensions)
        self.theta: Floats = np.zeros_like(self.b)

    @property
    def state(self) -> dict[str, Floats]:
        return {**super().state, "theta": self.theta}

    def _theta(self) -> Floats:
        return self.theta

    def _learn_explored(self, x: Floats, arm: int, reward: float) -> None:
        self.count[arm] += 1
        self.b[arm] = add(self.b[arm], scale(x, reward))
        self.a[arm] = sherman_morrison(self.a[arm], x)
        self.theta[arm] = matvec(self.a[arm], self.b[arm])
