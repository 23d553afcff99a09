"""What the disjoint LinearUCB learners share: settings, b, and the scores of equation (1)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gnomon.learn.kernels import Floats, add, dot, matvec, scale
from gnomon.learn.learner import Learner, Sizes, positive


class Disjoint(Learner):
    """One ridge regression per arm.

    Args:
        arms: N.
        dimensions: d, the length of a context.
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
        self.b: Floats = np.zeros((arms, dimensions))

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "alpha": self.alpha,
            "regularisation": self.regularisation,
        }

    def _identities(self, value: float) -> Floats:
        return np.tile(value * np.eye(self.sizes.dimensions), (self.sizes.arms, 1, 1))

    def _scores_from(self, inverses: Floats, contexts: Floats) -> Floats:
        """Equation (1) from the inverses of A."""
        theta = matvec(inverses, self.b)
        spread = matvec(inverses, contexts)
        variances = dot(contexts, spread)
        widths = self._widths(variances, lambda: np.abs(contexts * spread).sum(axis=-1))
        bonus = scale(widths, self.alpha)
        return add(dot(theta, contexts), bonus)
