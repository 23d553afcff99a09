"""Baselines as learners: LinUCB (the index of OFUL), LinTS, epsilon-greedy, on one model."""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.content.algorithms.common.epsilon import ConstantEpsilon
from gnomon.learn.kernels import Floats, add, matvec, note, scale
from gnomon.learn.settings import positive, share

from .learner import SharedLinear


class Oful(SharedLinear):
    """LinUCB on one model: the largest mu_hat + alpha n.

    Args:
        alpha: the width beta; ``confidence_width`` gives that of equation (5).
    """

    name, variant = "oful", "standard"

    def __init__(self, *, alpha: float = 1.0, **settings: Any) -> None:
        super().__init__(**settings)
        self.alpha = positive("alpha", alpha, zero=True)

    def _scores(self, contexts: Floats) -> Floats:
        joint = self._joint(contexts)
        return add(self._means(joint), scale(self._norms(joint), self.alpha))


class LinThompson(SharedLinear):
    """LinTS: the best arm for a theta sampled from N(theta_hat, variance V^-1).

    Operation counts assume the usual implementation, a Cholesky factor of V^-1 in each round.
    The code computes another factor, from the eigenvalues: rounding can leave V^-1 slightly
    short of positive definite, where Cholesky fails. A theta of either has the same distribution.

    Args:
        variance: v2, above 0; 1 in the authors' synthetic runs.
    """

    name, variant = "lin-ts", "standard"
    follows_scores = False

    def __init__(self, *, variance: float = 1.0, seed: int = 0, **settings: Any) -> None:
        super().__init__(seed=seed, **settings)
        self.variance = positive("variance", variance)

    def _scores(self, contexts: Floats) -> Floats:
        return self._means(self._joint(contexts))

    def _choose(self, contexts: Floats) -> int:
        assert self.generator is not None
        joint = self._joint(contexts)
        size = len(self.b)
        note("cholesky", (size,))
        # Rounding can make an eigenvalue slightly negative: it is clipped to 0.
        values, vectors = np.linalg.eigh((self.inverse + self.inverse.T) / 2)
        factor = vectors * np.sqrt(np.maximum(values, 0.0) * self.variance)
        note("random", (size,))
        moved = matvec(factor, self.generator.standard_normal(size))
        return self._best(add(self._means(joint), matvec(joint, moved)))


class LinEpsilonGreedy(ConstantEpsilon, SharedLinear):
    """Epsilon-greedy on the largest estimate; learns from every round.

    Args:
        epsilon: 0.05 as published.
    """

    name, variant = "lin-epsilon-greedy", "standard"

    def __init__(self, *, epsilon: float = 0.05, seed: int = 0, **settings: Any) -> None:
        super().__init__(seed=seed, **settings)
        self.epsilon = share("epsilon", epsilon)

    def _scores(self, contexts: Floats) -> Floats:
        return self._means(self._joint(contexts))
