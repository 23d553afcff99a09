"""Hybrid LinearUCB, Algorithm 2 with the periodic correction of section 3.3.3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn._hybrid import shared_square
from gnomon.learn._hybrid_optimised import HybridLinUCBOptimised
from gnomon.learn.kernels import add, lu_invert, outer, sub
from gnomon.learn.learner import period

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class HybridLinUCBCorrected(HybridLinUCBOptimised):
    """A and A0 beside their inverses, which are computed anew every ``correction_period`` updates.

    A0 follows equations (4) and (6) with the inverse of A that is at hand; nothing is inverted
    between two corrections but what Algorithm 2 inverts.

    Attributes:
        a0: updated directly, (k, k).
        a: A of each arm, updated directly, (N, d, d).
    """

    variant: ClassVar[str] = "corrected"

    def __init__(self, *, correction_period: int = 5000, **settings: Any) -> None:
        super().__init__(**settings)
        self.correction_period = period(correction_period)
        self.a0 = self.regularisation * np.eye(self.shared_size)
        self.a = self._identities(self.regularisation)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "correction_period": self.correction_period}

    @property
    def state(self) -> dict[str, Floats]:
        return {"a0": self.a0, "a": self.a, **super().state}

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x, z = contexts[arm], self._z(contexts, arm)
        a0 = add(self.a0, shared_square(self.cross[arm], self.a_inverse[arm]))  # (4)
        super()._learn(contexts, arm, reward)
        self.a[arm] = add(self.a[arm], outer(x, x))  # (5)
        square = shared_square(self.cross[arm], self.a_inverse[arm])
        self.a0[...] = sub(add(a0, outer(z, z)), square)  # (6)
        if (self.steps + 1) % self.correction_period == 0:
            self.a_inverse[...], self.a0_inverse[...] = lu_invert(self.a), lu_invert(self.a0)
