"""Disjoint LinearUCB in float64: standard, optimized and corrected."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gnomon.learn.kernels import (
    Floats,
    add,
    dot,
    lu_invert,
    matvec,
    outer,
    scale,
    sherman_morrison,
)
from gnomon.learn.learner import Learner, Sizes, recording
from gnomon.learn.settings import positive, whole


class Disjoint(Learner):
    """One ridge regression per arm; the variants store its matrix A or its inverse.

    Args:
        alpha: weight of the exploration term.
        regularisation: lambda; A starts as lambda I. The paper takes 1.

    Raises:
        GnomonError: if a setting is out of range.
    """

    name: ClassVar[str] = "linucb-disjoint"

    def __init__(
        self, *, arms: int, dimensions: int, alpha: float = 0.5, regularisation: float = 1.0
    ) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.alpha = positive("alpha", alpha, zero=True)
        self.regularisation = positive("regularisation", regularisation)
        self.b: Floats = np.zeros((arms, dimensions))  # (N, d)

    def _identities(self, value: float) -> Floats:
        return np.tile(value * np.eye(self.sizes.dimensions), (self.sizes.arms, 1, 1))

    def _scores_from(self, inverses: Floats, theta: Floats, contexts: Floats) -> Floats:
        """Compute equation (1) from the inverses of A and from theta = A^-1 b."""
        spread = matvec(inverses, contexts)
        variances = dot(contexts, spread)
        widths = self._widths(variances, lambda: np.abs(contexts * spread).sum(axis=-1))
        bonus = scale(widths, self.alpha)
        return add(dot(theta, contexts), bonus)


class DisjointLinUCB(Disjoint):
    """Published algorithm, equations (1) and (2): N inversions of d x d in every select.

    Example:
        >>> learner = DisjointLinUCB(arms=2, dimensions=2)
        >>> learner.select([1.0, 0.0])
        0
        >>> learner.update([1.0, 0.0], arm=0, reward=-1.0)
        >>> learner.select([1.0, 0.0])
        1
    """

    variant: ClassVar[str] = "standard"
    keeps: ClassVar[tuple[str, ...]] = ("a", "b")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a = self._identities(self.regularisation)  # A of each arm, (N, d, d)

    def _scores(self, contexts: Floats) -> Floats:
        inverses = lu_invert(self.a)
        return self._scores_from(inverses, matvec(inverses, self.b), contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        self.a[arm] = add(self.a[arm], outer(x, x))
        self.b[arm] = add(self.b[arm], scale(x, reward))


class DisjointLinUCBOptimized(Disjoint):
    """Algorithm 1: the inverse of A is stored, and updated by Sherman-Morrison (equation 8).

    From the first step on theta is cached, too, and recomputed for the arm that has learned: the
    same bits for half of the memory traffic. To keep theta up to date, ``a_inverse`` and
    ``b`` are then read-only outside of learning.
    """

    variant: ClassVar[str] = "optimized"
    keeps: ClassVar[tuple[str, ...]] = ("a_inverse", "b")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # inverse of A of each arm, (N, d, d)
        self.a_inverse = self._identities(1.0 / self.regularisation)
        self._kept: _Kept | None = None

    def _at_hand(self) -> _Kept:
        if self._kept is None:
            self._kept = _Kept(self.a_inverse, self.b)
            for array in (self.a_inverse, self.b):
                array.flags.writeable = False
        return self._kept

    def _scores(self, contexts: Floats) -> Floats:
        if recording():  # the algorithm computes theta of all arms, and a trace counts that
            return self._scores_from(self.a_inverse, matvec(self.a_inverse, self.b), contexts)
        kept = self._at_hand()
        if not (contexts.strides[0] or self._exploiting) and kept.find_scores(
            contexts[0], self.alpha
        ):
            return kept.scores
        return self._scores_from(self.a_inverse, kept.theta, contexts)

    def _unlock(self) -> None:
        """Make the arrays writable and drop the cache, which a later step recomputes."""
        self._kept = None
        for array in (self.a_inverse, self.b):
            array.flags.writeable = True

    def _restore(self, arrays: dict[str, Floats]) -> None:
        self._unlock()
        super()._restore(arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_kept": None}  # copies of arrays are writable

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        if recording():
            self._unlock()
            self.a_inverse[arm] = sherman_morrison(self.a_inverse[arm], x)  # line 14
            self.b[arm] = add(self.b[arm], scale(x, reward))  # line 15
        else:
            self._at_hand().learn(x, arm, reward)

    def _run(self, contexts: Floats, rewards: Floats, chosen: NDArray[np.int64]) -> None:
        """Play all steps without the checks of each, which :meth:`run` has done for all."""
        # Subclasses do more in a step than this class, and a trace needs the kernels.
        if type(self) is not DisjointLinUCBOptimized or recording():
            super()._run(contexts, rewards, chosen)
            return
        for step, x in enumerate(contexts):
            kept = self._at_hand()
            if not kept.find_scores(x, self.alpha):
                chosen[step] = self._step(x, rewards[step])  # it handles negative variances
                continue
            arm = chosen[step] = int(kept.scores.argmax())
            kept.learn(x, arm, rewards[step, arm])
            self.steps += 1


_LARGE = 1 << 17  # more numbers of inverses exceed the caches: reading them takes the time


class _Kept:
    """Cache of steps with one context for all arms: theta, and arrays for temporaries.

    Every operation equals one of the kernels, on operands of the same shape in the same order, so
    every bit of the state is the same. So are scores, unless the inverses are large: x^T A^-1 x
    is then the sum of half as many products, each element below the diagonal of A^-1 with the one
    across. One inner product per arm: arms with equal data have equal scores to the last bit.
    """

    def __init__(self, inverses: Floats, b: Floats) -> None:
        arms, d = b.shape
        self._inverses, self._b = inverses.view(), b.view()  # writable views
        # Sums over d of two products per arm, in one call: spread x gives variances, theta x means.
        self._factors, self._sums = np.empty((2, arms, d)), np.empty((2, arms))
        self._spread, self.theta = self._factors
        self._terms = np.empty_like(self._factors)
        self._product, self._step_b = np.empty((d, d)), np.empty(d)
        self.scores = np.empty(arms)
        np.matmul(inverses, b[..., None], out=self.theta[..., None])
        self._halves: Floats | None = None
        if inverses.size >= _LARGE:
            self._below = np.flatnonzero(np.tri(d))
            self._twice = np.where(np.eye(d), 0.5, 1.0).ravel()[self._below]
            self._halves = np.empty((arms, 1, len(self._below)))
            self._pairs = np.empty((len(self._below), 1))
            for arm in range(arms):
                self._fold(arm)

    def _fold(self, arm: int) -> None:
        if self._halves is not None:
            half, inverse = self._halves[arm, 0], self._inverses[arm]
            np.take((inverse + inverse.T).ravel(), self._below, out=half, mode="clip")
            np.multiply(half, self._twice, out=half)

    def find_scores(self, x: Floats, alpha: float) -> bool:
        """Compute equation (1) into ``scores``; return false if rounding makes a variance < 0."""
        variances, means = self._sums
        if self._halves is None:
            np.matmul(self._inverses, x, out=self._spread)
            np.multiply(self._factors, x, out=self._terms)
            np.add.reduce(self._terms, axis=-1, out=self._sums)
        else:
            np.multiply(x[:, None], x, out=self._product)
            np.take(self._product.ravel(), self._below, out=self._pairs[:, 0], mode="clip")
            np.matmul(self._halves, self._pairs, out=variances[:, None, None])
            np.multiply(self.theta, x, out=self._terms[1])
            np.add.reduce(self._terms[1], axis=-1, out=means)
        if not min(variances.tolist()) >= 0:  # takes a third of the time of NumPy's min
            return False
        widths = np.sqrt(variances)
        np.multiply(widths, alpha, out=widths)
        self.scores = np.add(means, widths, out=widths)
        return True

    def learn(self, x: Floats, arm: int, reward: float) -> None:
        """Learn one reward: lines 14 and 15."""
        inverse, b, product = self._inverses[arm], self._b[arm], self._product
        left, right = inverse.dot(x), x.dot(inverse)  # faster than @
        np.multiply(left[:, None], right, out=product)
        np.divide(product, 1.0 + x.dot(left), out=product)
        np.subtract(inverse, product, out=inverse)
        np.multiply(x, reward, out=self._step_b)
        np.add(b, self._step_b, out=b)
        inverse.dot(b, out=self.theta[arm])
        self._fold(arm)


class DisjointLinUCBCorrected(DisjointLinUCBOptimized):
    """Algorithm 1 with the correction of section 3.3.3.

    Every ``correction_period`` updates the inverses are recomputed from A.

    Attributes:
        a_inverse: (N, d, d).
        b: (N, d).
    """

    variant: ClassVar[str] = "corrected"
    keeps: ClassVar[tuple[str, ...]] = ("a", *DisjointLinUCBOptimized.keeps)

    def __init__(self, *, correction_period: int = 5000, **settings: Any) -> None:
        super().__init__(**settings)
        self.correction_period = whole("correction_period", correction_period)
        self.a = self._identities(self.regularisation)  # A of each arm, updated directly, (N, d, d)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        self.a[arm] = add(self.a[arm], outer(x, x))
        super()._learn(contexts, arm, reward)
        if (self.steps + 1) % self.correction_period == 0:
            inverses = lu_invert(self.a)
            self._unlock()
            self.a_inverse[...] = inverses
