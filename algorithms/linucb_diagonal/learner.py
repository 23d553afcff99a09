"""LinearUCB with independent weights: O(d) numbers and operations for each arm."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import Floats, add, dot, note, scale
from gnomon.learn.settings import positive


class DiagonalLinUCB(Learner):
    """Disjoint LinearUCB whose posterior has a diagonal precision Q, one number for each weight.

    The score is theta^T x + alpha sqrt(x^T Q^-1 x). A reward moves theta to the mean of the exact
    posterior for this prior, theta += Q^-1 x (r - theta^T x) / (1 + x^T Q^-1 x), and adds x_i^2 to
    each q_i: Algorithm 3 of Chapelle and Li (2011) for a linear model.

    It takes correlated features for independent ones. With correlation rho between all features
    its width is too small in common directions by up to sqrt(1 + (d - 1) rho), and too large in
    others.

    Args:
        alpha: weight of the exploration term.
        regularisation: lambda; Q starts as lambda I.

    Raises:
        GnomonError: if a setting is out of range.

    Example:
        >>> learner = DiagonalLinUCB(arms=2, dimensions=2, alpha=0.0)
        >>> learner.update([1.0, 1.0], arm=1, reward=3.0)
        >>> learner.theta[1].tolist(), learner.precision[1].tolist()
        ([1.0, 1.0], [2.0, 2.0])
    """

    name: ClassVar[str] = "linucb-diagonal"
    variant: ClassVar[str] = "standard"
    keeps: ClassVar[tuple[str, ...]] = ("precision", "theta")

    def __init__(
        self, *, arms: int, dimensions: int, alpha: float = 0.5, regularisation: float = 1.0
    ) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.alpha = positive("alpha", alpha, zero=True)
        self.regularisation = positive("regularisation", regularisation)
        # diagonal of the precision of each arm, (N, d)
        self.precision: Floats = np.full((arms, dimensions), self.regularisation)
        self.theta: Floats = np.zeros((arms, dimensions))  # weights of each arm, (N, d)

    def _scores(self, contexts: Floats) -> Floats:
        note("divide", (self.sizes.dimensions, 1), self.sizes.arms)
        variances = dot(contexts, contexts / self.precision)
        widths = self._widths(variances, lambda: variances)
        return add(dot(self.theta, contexts), scale(widths, self.alpha))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        note("divide", (self.sizes.dimensions, 1))
        spread = x / self.precision[arm]
        surprise = (reward - float(dot(self.theta[arm], x))) / (1.0 + float(dot(x, spread)))
        self.theta[arm] = add(self.theta[arm], scale(spread, surprise))
        note("scale", (self.sizes.dimensions, 1))  # the squares
        self.precision[arm] = add(self.precision[arm], x * x)
