"""Disjoint LinearUCB that discounts the past: D-LinUCB, and a recursive form of it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import Disjoint
from gnomon.learn.kernels import (
    Floats,
    add,
    dot,
    lu_invert,
    matvec,
    note,
    outer,
    scale,
    sherman_morrison,
)
from gnomon.learn.settings import share


class Discounted(Disjoint):
    """Disjoint LinearUCB whose rounds count ``discount`` times as much in each later round.

    Every update fades all arms, so the width of an arm that is not played grows again.

    Args:
        discount: gamma, of the past in each round; above 0, and 1 forgets nothing.
        settings: as for ``linucb-disjoint``; ``alpha`` stands for the paper's beta, which grows
            with the logarithm of the rounds.

    Raises:
        GnomonError: if a setting is out of range.
    """

    name: ClassVar[str] = "linucb-discounted"

    def __init__(self, *, discount: float = 0.99, **settings: Any) -> None:
        super().__init__(**settings)
        self.discount = share("discount", discount)
        if not self.discount:
            raise GnomonError("discount must be above 0: nothing would be learned")


class DiscountedLinUCB(Discounted):
    """D-LinUCB (Russac, Vernade and Cappe, 2019), Algorithm 1, with a model for each arm.

    With V = sum of gamma^(t - s) x x^T + lambda I and V~ the same with gamma^(2 (t - s)), the score
    is x^T V^-1 b + alpha sqrt(x^T V^-1 V~ V^-1 x).

    Example:
        >>> learner = DiscountedLinUCB(arms=2, dimensions=1, discount=0.5, alpha=0.0)
        >>> for reward in (1.0, 0.0, 0.0):
        ...     learner.update([1.0], arm=0, reward=reward)
        >>> float(learner.v[0, 0, 0]), float(learner.b[0, 0])  # 1.75 + 1, and 1 / 4
        (2.75, 0.25)
    """

    variant: ClassVar[str] = "standard"
    keeps: ClassVar[tuple[str, ...]] = ("v", "v_squared", "b")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.v = self._identities(self.regularisation)  # V of each arm, (N, d, d)
        self.v_squared = self._identities(self.regularisation)  # V~ of each arm, (N, d, d)

    def _scores(self, contexts: Floats) -> Floats:
        inverses = lu_invert(self.v)
        theta, z = matvec(inverses, self.b), matvec(inverses, contexts)
        spread = matvec(self.v_squared, z)
        widths = self._widths(dot(z, spread), lambda: np.abs(z * spread).sum(axis=-1))
        return add(dot(theta, contexts), scale(widths, self.alpha))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x, d, arms = contexts[arm], self.sizes.dimensions, self.sizes.arms
        product = outer(x, x)
        for matrices, weight in ((self.v, self.discount), (self.v_squared, self.discount**2)):
            note("scale", (d, d), arms)
            note("add", (d, 1), arms)
            np.multiply(matrices, weight, out=matrices)
            matrices[:, np.arange(d), np.arange(d)] += (1.0 - weight) * self.regularisation
            matrices[arm] = add(matrices[arm], product)
        note("scale", (d, 1), arms)
        self.b *= self.discount
        self.b[arm] = add(self.b[arm], scale(x, reward))


class DiscountedLinUCBOptimized(Discounted):
    """D-LinUCB with the inverse of one matrix, which O(d^2) operations per arm and round update.

    * The width is alpha sqrt(x^T V^-1 x): never below that of D-LinUCB, as V~ is at most V.
    * D-LinUCB adds (1 - gamma) lambda I in every round, which no update of rank one follows. Here
      round t adds d (1 - gamma) lambda to the diagonal element t mod d: the same sum in d rounds.
      The rule and its bounds are derived here. Gay (ICASSP 1996) regularizes fast recursive least
      squares to the same end; only the abstract was at hand, which has no formula. Each element of
      the added diagonal stays between gamma^(d - 1) lambda and (1 + (d - 1) (1 - gamma)) lambda.

    Attributes:
        inverse: V^-1 of each arm, (N, d, d).
        theta: V^-1 b of each arm, (N, d).
    """

    variant: ClassVar[str] = "optimized"
    keeps: ClassVar[tuple[str, ...]] = ("inverse", "theta")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.inverse = self._identities(1.0 / self.regularisation)
        self.theta: Floats = np.zeros_like(self.b)

    def _scores(self, contexts: Floats) -> Floats:
        return self._scores_from(self.inverse, self.theta, contexts)

    def _forget(self) -> None:
        """Fade all arms, and renew one element of the diagonal: V' = gamma V + c e_i e_i^T."""
        d, arms, turn = self.sizes.dimensions, self.sizes.arms, self.steps % self.sizes.dimensions
        renewed = d * (1.0 - self.discount) * self.regularisation
        for kernel, shape in (("scale", (d, d)), ("divide", (1, 1)), ("rank1_symmetric", (d,))):
            note(kernel, shape, arms)
        for kernel, times in (("scale", 2), ("sub", 1)):
            note(kernel, (d, 1), times * arms)
        self.inverse /= self.discount
        column = self.inverse[:, :, turn].copy()
        gain = column * (renewed / (1.0 + renewed * column[:, turn]))[:, None]
        self.inverse -= gain[:, :, None] * column[:, None, :]
        self.theta -= gain * self.theta[:, turn, None]

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self._forget()
        x = contexts[arm]
        error = reward - float(dot(self.theta[arm], x))
        self.inverse[arm] = sherman_morrison(self.inverse[arm], x)
        self.theta[arm] = add(self.theta[arm], scale(matvec(self.inverse[arm], x), error))
