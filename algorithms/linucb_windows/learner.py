"""LinUCB that selects its window: a triangular factor per arm holds the models of all."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gnomon.content.algorithms.ares.learner import AresFactorLearner
from gnomon.learn.kernels import Floats, note
from gnomon.learn.settings import positive


class WindowsLinUCB(AresFactorLearner):
    """LinUCB in the window whose predictions, over all arms, were the best so far.

    Unlike ARES-P it explores by a constant weight, has one window for all arms, and needs no turns
    at the start.

    Args:
        windows: the largest window.
        alpha: weight of the exploration term.
    """

    name, variant = "linucb-windows", "standard"
    follows_scores: ClassVar[bool] = True
    exploits: ClassVar[bool] = True

    def __init__(self, *, arms: int, dimensions: int, windows: int = 3, alpha: float = 0.5) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=windows)
        self.alpha = positive("alpha", alpha, zero=True)

    @property
    def window(self) -> int:
        """Window of the least mean error of predictions; the smallest window before any error."""
        sums, counts = self.errors[:2].sum(axis=1)
        if not counts.any():
            return 0
        error = np.full(len(sums), np.inf)
        np.divide(sums, counts, out=error, where=counts > 0)
        return int(error.argmin())

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        features = self._features()
        size = int(self._last[self.window]) + 1
        note("solve_lower", (size,), self.sizes.arms)
        note("dot", (size,), 2 * self.sizes.arms)
        found = [self._of(arm).predict(features) for arm in range(self.sizes.arms)]
        means = np.array([mean[size - 1] for mean, _, _ in found])
        variances = np.array([variance[size - 1] for _, variance, _ in found])
        return means + self.alpha * self._widths(variances, lambda: variances)

    def _choose(self, contexts: Floats) -> int:
        return self._best(self._scores(contexts))
