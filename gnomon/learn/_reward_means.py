"""What upper bounds on the mean reward of each arm share; contexts have no part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.learn.learner import Learner, Sizes

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

UNTRIED = 1e200
"""Score of an arm that was never played: above any bound."""


class RewardMeans(Learner):
    """Counts and sums of rewards, one of each for every arm.

    Args:
        arms: k.
        dimensions: accepted, so that all learners take the same rounds.

    Attributes:
        count: rewards, (k).
        total: sums of rewards, (k).
    """

    def __init__(self, *, arms: int, dimensions: int) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.count: Floats = np.zeros(arms)
        self.total: Floats = np.zeros(arms)

    @property
    def settings(self) -> dict[str, Any]:
        return {"arms": self.sizes.arms, "dimensions": self.sizes.dimensions}

    @property
    def state(self) -> dict[str, Floats]:
        return {"count": self.count, "total": self.total}

    def _bounds(self, scale: float, logarithm: float) -> Floats:
        """Means + scale sqrt(2 logarithm / n); ``UNTRIED`` where n is 0."""
        count = np.maximum(self.count, 1e-12)
        bounds = self.total / count + scale * np.sqrt(2.0 * logarithm / count)
        scores: Floats = np.where(self.count > 0, bounds, UNTRIED)
        return scores

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        del contexts
        self.count[arm] += 1.0
        self.total[arm] += reward
