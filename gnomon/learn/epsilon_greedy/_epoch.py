"""Epoch-greedy (Langford and Zhang, 2007) with least squares as its oracle."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn.epsilon_greedy._exploring import Exploring
from gnomon.learn.kernels import eigen_symmetric, matvec

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

SMALLEST_EIGENVALUE = 1e-10
"""Eigenvalues below this share of the largest count as 0."""


class EpochGreedy(Exploring):
    """Epoch l is one step of uniform exploration, then l steps of exploitation.

    The lengths are our choice; the original lets them depend on the number of hypotheses.

    Attributes:
        theta: least squares of smallest norm, (K, d).
    """

    name: ClassVar[str] = "epoch-greedy"
    variant: ClassVar[str] = "standard"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.theta: Floats = np.zeros_like(self.b)

    @property
    def state(self) -> dict[str, Floats]:
        return {**super().state, "theta": self.theta}

    def _explored_arm(self) -> int | None:
        # Epoch l starts after (l - 1) + (l - 1) l / 2 steps.
        before = (isqrt(9 + 8 * self.steps) - 3) // 2
        if before * (before + 3) // 2 != self.steps:
            return None
        return self._random_arm()

    def _theta(self) -> Floats:
        return self.theta

    def _learn_explored(self, x: Floats, arm: int, reward: float) -> None:
        super()._learn_explored(x, arm, reward)
        values, vectors = eigen_symmetric(self.a[arm])
        kept = values > SMALLEST_EIGENVALUE * values[-1]
        inverses = np.zeros_like(values)
        inverses[kept] = 1.0 / values[kept]
        self.theta[arm] = matvec(vectors, inverses * matvec(vectors.T, self.b[arm]))
