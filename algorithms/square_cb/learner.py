"""SquareCB with one ridge regression per arm, in float64."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.learn.kernels import Floats, dot, matvec, note
from gnomon.learn.settings import positive, whole


class SquareCB(DisjointLinUCBOptimized):
    """Probability 1 / (N + gamma g) of an arm whose estimate is g below the best.

    The best arm has the remaining probability. N is the number of available arms.

    Args:
        gamma: weight of the gaps; a larger weight explores less.
    """

    name: ClassVar[str] = "square-cb"
    variant: ClassVar[str] = "standard"
    follows_scores: ClassVar[bool] = False

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        regularisation: float = 1.0,
        gamma: float = 100.0,
        seed: int = 0,
    ) -> None:
        super().__init__(arms=arms, dimensions=dimensions, regularisation=regularisation, alpha=0.0)
        self.gamma = positive("gamma", gamma)
        self.seed = whole("seed", seed, least=0)
        self.generator = np.random.default_rng(self.seed)

    def _scores(self, contexts: Floats) -> Floats:
        return dot(matvec(self.a_inverse, self.b), contexts)

    def _chances(self, contexts: Floats) -> Floats:
        scores = self._scores(contexts)
        best = self._best(scores)
        offered = self._evenly() > 0
        chances: Floats = offered / (self._offers() + self.gamma * np.abs(scores[best] - scores))
        note("divide", (self.sizes.arms, 1))
        chances[best] = 0.0
        chances[best] = 1.0 - chances.sum()
        return chances

    def _choose(self, contexts: Floats) -> int:
        chances = self._chances(contexts)
        place = np.searchsorted(chances.cumsum(), self._random()[0], side="right")
        return int(min(place, np.flatnonzero(chances)[-1]))
