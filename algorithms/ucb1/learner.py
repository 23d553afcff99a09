"""UCB1 (Auer, Cesa-Bianchi and Fischer, 2002), and the base of learners with bounds on means."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import Floats
from gnomon.learn.settings import positive

UNTRIED = 1e200
"""Score of an arm that was never played: above any bound."""


class RewardMeans(Learner):
    """Counts and sums of rewards of every arm; contexts are ignored.

    Args:
        dimensions: accepted, so that all learners take the same rounds.
    """

    keeps: ClassVar[tuple[str, ...]] = ("count", "total")

    def __init__(self, *, arms: int, dimensions: int) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.count: Floats = np.zeros(arms)  # rewards, (k)
        self.total: Floats = np.zeros(arms)  # sums of rewards, (k)

    def _bounds(self, scale: float, logarithm: float) -> Floats:
        """Return means + scale sqrt(2 logarithm / n); ``UNTRIED`` where n is 0."""
        count = np.maximum(self.count, 1e-12)
        if self._exploiting:
            return self.total / count
        bounds = self.total / count + scale * np.sqrt(2.0 * logarithm / count)
        return np.asarray(np.where(self.count > 0, bounds, UNTRIED))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        del contexts
        self.count[arm] += 1.0
        self.total[arm] += reward


class UCB1(RewardMeans):
    """UCB1: mean reward of an arm + ``beta`` sqrt(2 ln t / n).

    Args:
        beta: 1 in the original.
    """

    name, variant = "ucb1", "standard"

    def __init__(self, *, arms: int, dimensions: int, beta: float = 1.0) -> None:
        super().__init__(arms=arms, dimensions=dimensions)
        self.beta = positive("beta", beta, zero=True)

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        return self._bounds(self.beta, float(np.log(max(self.count.sum(), 1.0))))
