"""The learners of the paper code in plain integers, bit for bit: slow, and easy to read.

Each keeps its state as the C does, and gives it back as the words of ``learner_model``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from gnomon.content.algorithms.linucb_paper.arithmetic import PaperModel, Steps, VectorModel
from tests.learners.models import scalars

if TYPE_CHECKING:
    from gnomon.measure.learners import EmbeddedSizes


class PaperLearner(ABC):
    """Select and update in integers."""

    def __init__(
        self, sizes: EmbeddedSizes, alpha: int, fraction_bits: int = 15, *, vector: bool = False
    ) -> None:
        """Start with a fresh model; ``vector``: with the kernels of the vector unit."""
        self.sizes = sizes
        self.alpha = alpha
        self.fixed = VectorModel(fraction_bits) if vector else PaperModel(fraction_bits)
        d = sizes.d
        # A, or its inverse where that is kept: both start as the identity.
        self.a = [self._identity(d) for _ in range(sizes.arms)]
        self.b = [_zeros(d, 1) for _ in range(sizes.arms)]

    def _identity(self, n: int) -> Steps:
        return self.fixed.one * np.eye(n, dtype=np.int64)

    def _product(self, *matrices: Steps) -> Steps:
        """Product of several matrices, from right to left."""
        *left, result = matrices
        for matrix in reversed(left):
            result = self.fixed.multiply(matrix, result)
        return result

    def select(self, context: Steps, features: Steps | None = None) -> tuple[int, list[int]]:
        """The arm of the highest score, the lowest of equals, and all scores."""
        scores = self._scores(context.reshape(-1, 1).astype(np.int64), features)
        return int(np.argmax(scores)), scores

    @abstractmethod
    def _scores(self, x: Steps, features: Steps | None) -> list[int]: ...

    @abstractmethod
    def update(self, arm: int, reward: int, context: Steps, features: Steps | None = None) -> None:
        """Learn the reward of an arm under a context."""

    @abstractmethod
    def words(self) -> Steps:
        """The model as the C lays it out."""

    def _sherman_morrison(self, inverse: Steps, x: Steps) -> Steps:
        fixed = self.fixed
        left, right = self._product(inverse, x), self._product(x.T, inverse)
        denominator = int(fixed.add(self._identity(1), self._product(right, x))[0, 0])
        change = fixed.divide(self._product(left, right), denominator)
        return fixed.subtract(inverse, change)


class DisjointModel(PaperLearner):
    """Disjoint LinUCB; standard keeps A, optimized its inverse."""

    def __init__(
        self,
        sizes: EmbeddedSizes,
        alpha: int,
        fraction_bits: int = 15,
        *,
        optimized: bool,
        vector: bool = False,
    ) -> None:
        """Start with a fresh model."""
        super().__init__(sizes, alpha, fraction_bits, vector=vector)
        self.optimized = optimized

    def _scores(self, x: Steps, features: Steps | None) -> list[int]:
        assert features is None
        scores, bits = [], self.fixed.fraction_bits
        for a, b in zip(self.a, self.b, strict=True):
            inverse = a if self.optimized else self.fixed.inverse(a)
            theta = self._product(inverse, b)
            width = scalars.square_root(int(self._product(x.T, inverse, x)[0, 0]), bits)
            bound = scalars.multiply(self.alpha, width, bits)
            scores.append(_sum(int(self._product(theta.T, x)[0, 0]), bound))
        return scores

    def update(self, arm: int, reward: int, context: Steps, features: Steps | None = None) -> None:
        """Learn the reward of an arm under a context."""
        assert features is None
        x = context.reshape(-1, 1).astype(np.int64)
        if self.optimized:
            self.a[arm] = self._sherman_morrison(self.a[arm], x)
        else:
            self.a[arm] = self.fixed.add(self.a[arm], self._product(x, x.T))
        self.b[arm] = self.fixed.add(self.b[arm], self.fixed.scale(x, reward))

    def words(self) -> Steps:
        """The model as the C lays it out."""
        parts = [part for pair in zip(self.a, self.b, strict=True) for part in pair]
        return np.concatenate([part.reshape(-1) for part in parts])


class HybridModel(PaperLearner):
    """Hybrid LinUCB; standard keeps A0 and A, optimized their inverses."""

    def __init__(
        self,
        sizes: EmbeddedSizes,
        alpha: int,
        fraction_bits: int = 15,
        *,
        optimized: bool,
        vector: bool = False,
    ) -> None:
        """Start with a fresh model."""
        super().__init__(sizes, alpha, fraction_bits, vector=vector)
        self.optimized = optimized
        self.a0 = self._identity(sizes.k)
        self.b0 = _zeros(sizes.k, 1)
        self.b_shared = [_zeros(sizes.d, sizes.k) for _ in range(sizes.arms)]

    def _z(self, arm: int, x: Steps, features: Steps | None) -> Steps:
        assert features is not None
        return self._product(features[arm].reshape(-1, 1).astype(np.int64), x.T).reshape(-1, 1)

    def _inverse(self, a: Steps) -> Steps:
        return a if self.optimized else self.fixed.inverse(a)

    def _scores(self, x: Steps, features: Steps | None) -> list[int]:
        fixed, product = self.fixed, self._product
        shared = self._inverse(self.a0)
        beta = product(shared, self.b0)
        scores, bits = [], fixed.fraction_bits
        for arm in range(self.sizes.arms):
            z = self._z(arm, x, features)
            own, across, b = self._inverse(self.a[arm]), self.b_shared[arm], self.b[arm]
            theta = product(own, fixed.subtract(b, product(across, beta)))
            s2 = int(product(z.T, shared, across.T, own, x)[0, 0])
            s = _sum(
                int(product(z.T, shared, z)[0, 0]),
                -2 * s2,
                int(product(x.T, own, x)[0, 0]),
                int(product(x.T, own, across, shared, across.T, own, x)[0, 0]),
            )
            width = scalars.multiply(self.alpha, scalars.square_root(s, bits), bits)
            rewards = int(product(z.T, beta)[0, 0]), int(product(x.T, theta)[0, 0])
            scores.append(_sum(*rewards, width))
        return scores

    def update(self, arm: int, reward: int, context: Steps, features: Steps | None = None) -> None:
        """Learn the reward of an arm under a context."""
        fixed, product = self.fixed, self._product
        x = context.reshape(-1, 1).astype(np.int64)
        z = self._z(arm, x, features)
        self._correct(arm, add=True)
        if self.optimized:
            self.a[arm] = self._sherman_morrison(self.a[arm], x)
        else:
            self.a[arm] = fixed.add(self.a[arm], product(x, x.T))
        self.b_shared[arm] = fixed.add(self.b_shared[arm], product(x, z.T))
        self.b[arm] = fixed.add(self.b[arm], fixed.scale(x, reward))
        if self.optimized:
            self.a0 = self._sherman_morrison(self.a0, z)
        else:
            self.a0 = fixed.add(self.a0, product(z, z.T))
        self.b0 = fixed.add(self.b0, fixed.scale(z, reward))
        self._correct(arm, add=False)

    def _correct(self, arm: int, *, add: bool) -> None:
        """Add the arm's share to A0 and b0, or take it away."""
        fixed, product = self.fixed, self._product
        across, a = self.b_shared[arm], self.a[arm]
        change = fixed.add if add else fixed.subtract
        own = self._inverse(a)
        if self.optimized:
            left, right = product(self.a0, across.T), product(across, self.a0)
            middle = fixed.inverse(change(fixed.inverse(a), product(right, across.T)))
            step = fixed.multiply(fixed.multiply(left, middle), right)
            # The inverse moves the other way.
            self.a0 = fixed.subtract(self.a0, step) if add else fixed.add(self.a0, step)
        else:
            self.a0 = change(self.a0, product(across.T, own, across))
        self.b0 = change(self.b0, product(across.T, own, self.b[arm]))

    def words(self) -> Steps:
        """The model as the C lays it out."""
        arms = zip(self.a, self.b_shared, self.b, strict=True)
        parts = [self.a0, self.b0, *(part for arm in arms for part in arm)]
        return np.concatenate([part.reshape(-1) for part in parts])


def _zeros(rows: int, columns: int) -> Steps:
    return np.zeros((rows, columns), dtype=np.int64)


def _sum(*values: int) -> int:
    return (sum(values) + 2**31) % 2**32 - 2**31
