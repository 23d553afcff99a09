"""UCB1 (Auer et al., 2002): arms without contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn._learner import Learner, Sizes, positive

if TYPE_CHECKING:
    from gnomon.learn._kernels import Floats

_UNTRIED = 1e200
"""Score of an arm that was never played: above any bound."""


class UCB1(Learner):
    """Mean reward of an arm + ``beta`` sqrt(2 ln t / n).

    Args:
        arms: C.
        dimensions: of contexts, which have no part.
        beta: 1 in the original.

    Attributes:
        count: n, (C).
        total: sums of rewards, (C).
    """

    name: ClassVar[str] = "ucb1"
    variant: ClassVar[str] = "standard"

    def __init__(self, *, arms: int, dimensions: int, beta: float = 1.0) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.beta = positive("beta", beta, zero=True)
        self.count: Floats = np.zeros(arms)
        self.total: Floats = np.zeros(arms)

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "beta": self.beta,
        }

    @property
    def state(self) -> dict[str, Floats]:
        return {"count": self.count, "total": self.total}

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        played = np.maximum(self.count, 1.0)
        width = self.beta * np.sqrt(2.0 * np.log(max(self.count.sum(), 1.0)) / played)
        scores: Floats = np.where(self.count > 0, self.total / played + width, _UNTRIED)
        return scores

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        del contexts
        self.count[arm] += 1.0
        self.total[arm] += reward
