"""HD-CB with exploration by uncertainty, three variants. OUR READING.

The abstract of arXiv 2501.16863 states that there are four variants, which differ in exploration,
memory and number of hyperparameters; a third-party summary, that three are driven by uncertainty.
All equations are inferred.
"""

from __future__ import annotations

from math import isqrt
from typing import Any, ClassVar

import numpy as np

from gnomon.content.algorithms.hdcb.hypervectors import Hyperdimensional
from gnomon.learn.kernels import Floats, note
from gnomon.learn.settings import positive, whole

ONE = 1 << 15
"""Cosines and scores are whole numbers of 2^-15, as in C."""

_LARGEST_WORD = 2**31 - 1


def cosine(dot: int, squares: int, components: int) -> int:
    """Return the cosine of a hypervector with a context in 2^-15, toward 0; 0 of a zero vector.

    Args:
        dot: dot product of both.
        squares: sum of squares of the hypervector.
        components: D, the sum of squares of a context.
    """
    root = isqrt(squares * components)
    if root == 0:
        return 0
    return (1 if dot > 0 else -1) * (abs(dot) * ONE // root)


class UncertainHDCB(Hyperdimensional):
    """HD-CB_UNC1, our reading: cos(A_a, X) + alpha (1 - cos(B_a, X)).

    B_a is the sum of the contexts in which the arm was played; A_a as in ``GreedyHDCB``.

    Args:
        alpha: weight of the uncertainty, in steps of 2^-15.
        weights: as in ``GreedyHDCB``.
        settings: as for the encoder.
    """

    name: ClassVar[str] = "hdcb-unc"
    variant: ClassVar[str] = "unc1"
    keeps: ClassVar[tuple[str, ...]] = ("rewards", "contexts")

    def __init__(self, *, alpha: float = 0.2, weights: int = 8, **settings: Any) -> None:
        super().__init__(**settings)
        self.alpha = positive("alpha", alpha, zero=True)
        self.weights = whole("weights", weights)
        self._create()

    def _create(self) -> None:
        self.contexts: Floats = np.zeros_like(self.rewards)  # B of each arm, (N, D)

    def _cosines(self, vectors: Floats, x: Floats) -> list[int]:
        """Return the cosines of all arms in 2^-15."""
        note("sqrt", (self.sizes.arms,))
        note("divide", (self.sizes.arms, 1))
        dots = self._dots(vectors, x).tolist()
        whole_vectors = np.asarray(vectors)
        squares = np.einsum("ai,ai->a", whole_vectors, whole_vectors).tolist()
        return [
            cosine(int(dot), int(square), self.components)
            for dot, square in zip(dots, squares, strict=True)
        ]

    def _uncertainties(self, x: Floats) -> list[int]:
        return [ONE - known for known in self._cosines(self.contexts, x)]

    def _weight(self) -> int:
        """Return alpha in 2^-15."""
        return min(round(min(self.alpha, 65536.0) * ONE), _LARGEST_WORD)

    def _scores(self, contexts: Floats) -> Floats:
        x = self._encoded(contexts)
        scores = self._cosines(self.rewards, x)
        if not self._exploiting:
            alpha = self._weight()
            bonuses = [alpha * each >> 15 for each in self._uncertainties(x)]
            scores = [
                min(score + bonus, _LARGEST_WORD)
                for score, bonus in zip(scores, bonuses, strict=True)
            ]
        return np.array(scores) / ONE

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = self.encode(contexts[arm])
        self._add(self.rewards, arm, self.weight(reward) * x)
        self._add(self.contexts, arm, x)


class OneVectorHDCB(UncertainHDCB):
    """HD-CB_UNC2, our reading: one vector C_a = A_a + rho(B_a), rho a rotation by one component.

    Halves the memory; each part is noise to the other.
    """

    variant: ClassVar[str] = "unc2"
    keeps: ClassVar[tuple[str, ...]] = ("rewards",)

    def _create(self) -> None:
        pass

    def _uncertainties(self, x: Floats) -> list[int]:
        return [ONE - known for known in self._cosines(self.rewards, np.roll(x, 1, axis=-1))]

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = self.encode(contexts[arm])
        self._add(self.rewards, arm, self.weight(reward) * x)
        self._add(self.rewards, arm, self.weights * np.roll(x, 1))


class GatedHDCB(UncertainHDCB):
    """HD-CB_UNC3, our reading: cos(A_a, X) + u with u = 1 - max(0, cos(B_a, X)); A_a += w u X.

    No weight of exploration: ``alpha`` has no effect. The step w u is rounded to nearest.
    """

    variant: ClassVar[str] = "unc3"

    def _uncertainties(self, x: Floats) -> list[int]:
        return [ONE - max(known, 0) for known in self._cosines(self.contexts, x)]

    def _weight(self) -> int:
        return ONE

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = self.encode(contexts[arm])
        known = np.asarray(self.contexts)[arm]
        note("dot", (self.components,), 2)
        found = cosine(int(known @ x), int(known @ known), self.components)
        step = (self.weight(reward) * (ONE - max(found, 0)) + ONE // 2) >> 15
        self._add(self.rewards, arm, step * x)
        self._add(self.contexts, arm, x)
