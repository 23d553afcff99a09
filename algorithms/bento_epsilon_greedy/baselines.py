"""Baselines of epsilon-greedy: LinRel, and uniform choice."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import Floats, add, dot, eigen_symmetric, matvec, outer_symmetric, scale
from gnomon.learn.settings import positive

_SEEN = 1.0  # smallest eigenvalue of a direction that counts as seen


class LinRel(Learner):
    """LinRel (Auer, 2002): directions seen too little are set aside, not regularised.

    One model per arm. With the eigenvalues of A = sum of x x^T that are at least 1, and b = sum of
    r x, the estimate of an arm is x^T A^+ b, its width ``alpha`` |X A^+ x| + |the part of x in
    other directions|.

    Args:
        alpha: the root of ln(2 T K / delta) in the original; 1 here, as no horizon is known.
    """

    name, variant = "linrel", "standard"
    keeps: ClassVar[tuple[str, ...]] = ("a", "b")

    def __init__(self, *, arms: int, dimensions: int, alpha: float = 1.0) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.alpha = positive("alpha", alpha, zero=True)
        self.a: Floats = np.zeros((arms, dimensions, dimensions))  # sums of x x^T, (K, d, d)
        self.b: Floats = np.zeros((arms, dimensions))  # sums of r x, (K, d)

    def _scores(self, contexts: Floats) -> Floats:
        values, vectors = eigen_symmetric(self.a)
        turned = matvec(vectors.swapaxes(-1, -2), contexts)
        seen = values >= _SEEN
        inverses = np.where(seen, 1.0 / np.where(seen, values, 1.0), 0.0)
        weights = inverses * turned
        expected = dot(matvec(vectors, weights), self.b)
        if self._exploiting:
            return expected
        inside = np.sqrt(dot(weights, turned))  # |X A^+ x|^2 = x^T A^+ A A^+ x
        rest = np.where(seen, 0.0, turned)
        return expected + self.alpha * inside + np.sqrt(dot(rest, rest))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        self.a[arm] += outer_symmetric(x)
        self.b[arm] = add(self.b[arm], scale(x, reward))


class Uniform(Learner):
    """Policy that picks arms uniformly at random without learning: the reference of all regrets."""

    name, variant = "uniform", "standard"
    follows_scores = False
    exploits = False

    def __init__(self, *, arms: int, dimensions: int, seed: int = 0) -> None:
        super().__init__(Sizes(arms, dimensions), seed=seed)

    def _choose(self, contexts: Floats) -> int:
        del contexts
        return self._random_arm()

    def _chances(self, contexts: Floats) -> Floats:
        del contexts
        return self._evenly()

    def _scores(self, contexts: Floats) -> Floats:
        return np.zeros(len(contexts))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        pass
