"""Thompson sampling with one ridge regression per arm, in float64."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.learn.kernels import Floats, add, dot, matvec, note, scale
from gnomon.learn.settings import whole


class DisjointThompson(DisjointLinUCBOptimized):
    """Best arm for weights sampled for each arm from N(theta_a, alpha^2 A_a^-1).

    Only the product of the weights with the context of an arm matters: a normal number of mean
    theta_a^T x and variance alpha^2 x^T A_a^-1 x. So one number per arm is sampled, not a vector.
    """

    name: ClassVar[str] = "thompson-disjoint"
    variant: ClassVar[str] = "standard"
    follows_scores: ClassVar[bool] = False

    def __init__(self, *, seed: int = 0, **settings: Any) -> None:
        super().__init__(**settings)
        self.seed = whole("seed", seed, least=0)
        self.generator = np.random.default_rng(self.seed)

    def _scores(self, contexts: Floats) -> Floats:
        """Return the means of the sampled numbers."""
        return dot(matvec(self.a_inverse, self.b), contexts)

    def _choose(self, contexts: Floats) -> int:
        assert self.generator is not None
        spread = matvec(self.a_inverse, contexts)
        widths = self._widths(dot(contexts, spread), lambda: np.abs(contexts * spread).sum(axis=-1))
        note("random", (self.sizes.arms,))
        drawn = widths * self.generator.standard_normal(self.sizes.arms)
        return self._best(add(self._scores(contexts), scale(drawn, self.alpha)))
