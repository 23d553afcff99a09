"""The periodically corrected learners of the paper code in plain integers, bit for bit.

Written from the statement in ``docs/notes/paper-code.md``, not from the C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.learners.models.paper import DisjointModel, HybridModel

if TYPE_CHECKING:
    from gnomon.content.algorithms.linucb_paper.arithmetic import Steps
    from gnomon.measure.learners import EmbeddedSizes


class CorrectedDisjointModel(DisjointModel):
    """Disjoint LinUCB with A beside its inverse, recomputed every ``period`` updates."""

    def __init__(
        self, sizes: EmbeddedSizes, alpha: int, *, period: int, vector: bool = False
    ) -> None:
        """Start with a fresh model."""
        super().__init__(sizes, alpha, optimized=True, vector=vector)
        self.period = self.updates_left = period
        self.direct = [self._identity(sizes.d) for _ in range(sizes.arms)]

    def update(self, arm: int, reward: int, context: Steps, features: Steps | None = None) -> None:
        """Learn the reward of an arm under a context."""
        super().update(arm, reward, context, features)
        x = context.reshape(-1, 1).astype(np.int64)
        self.direct[arm] = self.fixed.add(self.direct[arm], self._product(x, x.T))
        self.updates_left -= 1
        if self.updates_left == 0:
            self.updates_left = self.period
            self.a = [self.fixed.inverse(a) for a in self.direct]

    def words(self) -> Steps:
        """The model as the C lays it out."""
        arms = zip(self.a, self.b, self.direct, strict=True)
        parts = [part for arm in arms for part in arm]
        return np.concatenate([*(part.reshape(-1) for part in parts), [self.updates_left]])


class CorrectedHybridModel(HybridModel):
    """Hybrid LinUCB with A0 and A beside their inverses."""

    def __init__(
        self, sizes: EmbeddedSizes, alpha: int, *, period: int, vector: bool = False
    ) -> None:
        """Start with a fresh model."""
        super().__init__(sizes, alpha, optimized=True, vector=vector)
        self.period = self.updates_left = period
        self.direct = [self._identity(sizes.d) for _ in range(sizes.arms)]
        self.direct_a0 = self._identity(sizes.k)

    def _square(self, arm: int) -> Steps:
        across = self.b_shared[arm]
        return self._product(across.T, self.a[arm], across)

    def update(self, arm: int, reward: int, context: Steps, features: Steps | None = None) -> None:
        """Learn the reward of an arm under a context."""
        add, product = self.fixed.add, self._product
        x = context.reshape(-1, 1).astype(np.int64)
        z = self._z(arm, x, features)
        shared = add(self.direct_a0, self._square(arm))  # equation (4)
        super().update(arm, reward, context, features)
        self.direct[arm] = add(self.direct[arm], product(x, x.T))  # equation (5)
        shared = add(shared, product(z, z.T))
        self.direct_a0 = self.fixed.subtract(shared, self._square(arm))  # equation (6)
        self.updates_left -= 1
        if self.updates_left == 0:
            self.updates_left = self.period
            self.a = [self.fixed.inverse(a) for a in self.direct]
            self.a0 = self.fixed.inverse(self.direct_a0)

    def words(self) -> Steps:
        """The model as the C lays it out."""
        arms = zip(self.a, self.b_shared, self.b, self.direct, strict=True)
        parts = [self.a0, self.b0, *(part for arm in arms for part in arm), self.direct_a0]
        return np.concatenate([*(part.reshape(-1) for part in parts), [self.updates_left]])
