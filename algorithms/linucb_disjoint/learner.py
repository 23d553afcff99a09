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
    """One ridge regression per arm; the variants differ in what they keep of its matrix A.

    Args:
        alpha: weight of the exploration term.
        regularisation: lambda; A starts as lambda I. The paper takes 1.

    Raises:
        GnomonError: a setting is out of range.
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
        """Equation (1) from the inverses of A and from theta = A^-1 b."""
        spread = matvec(inverses, contexts)
        variances = dot(contexts, spread)
        widths = self._widths(variances, lambda: np.abs(contexts * spread).sum(axis=-1))
        bonus = scale(widths, self.alpha)
        return add(dot(theta, contexts), bonus)


class DisjointLinUCB(Disjoint):
    """As published, equations (1) and (2): N inversions of d x d in every select.

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
    """Algorithm 1: the inverse of A is kept, and updated by Sherman-Morrison (equation 8).

    From the first selection on theta is kept, too, and computed anew for arms that have learned:
    the same bits for half of the memory traffic. So that it is never out of date, ``a_inverse`` and
    ``b`` are then read-only outside of learning.
    """

    variant: ClassVar[str] = "optimized"
    keeps: ClassVar[tuple[str, ...]] = ("a_inverse", "b")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # inverse of A of each arm, (N, d, d)
        self.a_inverse = self._identities(1.0 / self.regularisation)
        self._theta: Floats | None = None  # (N, d)
        self._learned: set[int] = set()  # arms whose theta is out of date

    def _scores(self, contexts: Floats) -> Floats:
        if recording():  # the algorithm computes theta of all arms, and a trace counts that
            theta = matvec(self.a_inverse, self.b)
        elif self._theta is None:
            self._lock(known=True)
            theta = self._theta = matvec(self.a_inverse, self.b)
        else:
            theta = self._theta
            for arm in self._learned:
                np.matmul(self.a_inverse[arm], self.b[arm], out=theta[arm])
            self._learned.clear()
        return self._scores_from(self.a_inverse, theta, contexts)

    def _lock(self, *, known: bool) -> None:
        """Theta of the arrays is known, and they are read-only; or it is not, and they are open."""
        self._learned.clear()
        self._theta = None
        for array in (self.a_inverse, self.b):
            array.flags.writeable = not known

    def _restore(self, arrays: dict[str, Floats]) -> None:
        self._lock(known=False)
        super()._restore(arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_theta": None, "_learned": set()}  # copies of arrays are open

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        inverse = sherman_morrison(self.a_inverse[arm], x)  # line 14
        b = add(self.b[arm], scale(x, reward))  # line 15
        for array, new in ((self.a_inverse, inverse), (self.b, b)):
            array.flags.writeable = True
            array[arm] = new
            array.flags.writeable = self._theta is None
        self._learned.add(arm)

    def _run(self, contexts: Floats, rewards: Floats, chosen: NDArray[np.int64]) -> None:
        # Others do more in a step than this class, and a trace wants to see the kernels.
        if type(self) is not DisjointLinUCBOptimized or recording():
            super()._run(contexts, rewards, chosen)
        else:
            self._run_at_once(contexts, rewards, chosen)

    def _run_at_once(self, contexts: Floats, rewards: Floats, chosen: NDArray[np.int64]) -> None:
        """Many steps, bit for bit those of the kernels.

        A step of ``select`` and ``update`` spends most of its time on checks and on small arrays
        that live for one operation. Here the input is checked beforehand and the arrays stay. Every
        operation is that of the kernels, on operands of the same shape and in the same order, so
        every bit is the same; only theta, which the kernels compute for all arms in every
        selection, is kept and computed anew for the one arm that has learned.

        Raises:
            GnomonError: the state has lost its precision; the steps before are learned.
        """
        self._lock(known=False)
        arms, dimensions = self.sizes.arms, self.sizes.dimensions
        inverses, b, alpha = self.a_inverse, self.b, self.alpha
        # Sums over d of two products per arm, in one call: spread x gives variances, theta x means.
        factors = np.empty((2, arms, dimensions))
        spread, theta = factors[0], factors[1]
        np.matmul(inverses, b[..., None], out=theta[..., None])
        terms, sums = np.empty_like(factors), np.empty((2, arms))
        variances, means = sums[0], sums[1]
        scores = np.empty(arms)
        product = np.empty((dimensions, dimensions))
        step_b = np.empty(dimensions)
        matmul, multiply, reduce, sqrt, add = np.matmul, np.multiply, np.add.reduce, np.sqrt, np.add
        subtract, divide = np.subtract, np.divide

        with np.errstate(invalid="ignore"):
            for step, x in enumerate(contexts):
                matmul(inverses, x, out=spread)
                multiply(factors, x, out=terms)
                reduce(terms, axis=-1, out=sums)
                sqrt(variances, out=scores)
                multiply(scores, alpha, out=scores)
                add(means, scores, out=scores)
                arm = int(scores.argmax())
                score = scores[arm]
                if score != score:  # noqa: PLR0124 - NaN: a variance below 0, and the first is found
                    arm = chosen[step] = self._step(x, rewards[step])
                    self._lock(known=False)
                else:
                    chosen[step] = arm
                    inverse = inverses[arm]
                    left = spread[arm]
                    right = x @ inverse
                    multiply(left[:, None], right, out=product)
                    divide(product, 1.0 + x @ left, out=product)
                    subtract(inverse, product, out=inverse)
                    multiply(x, rewards[step, arm], out=step_b)
                    add(b[arm], step_b, out=b[arm])
                    self.steps += 1
                matmul(inverses[arm], b[arm], out=theta[arm])


class DisjointLinUCBCorrected(DisjointLinUCBOptimized):
    """Algorithm 1 with the correction of section 3.3.3.

    Every ``correction_period`` updates the inverses are computed anew from A.

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
            self._lock(known=False)
            self.a_inverse[...] = inverses
