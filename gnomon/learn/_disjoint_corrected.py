"""Disjoint LinearUCB, Algorithm 1 with the periodic correction of section 3.3.3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.learn._disjoint_optimised import DisjointLinUCBOptimised
from gnomon.learn.kernels import add, lu_invert, outer
from gnomon.learn.learner import period

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class DisjointLinUCBCorrected(DisjointLinUCBOptimised):
    """A beside its inverse; every ``correction_period`` updates the inverses are computed anew.

    Attributes:
        a: A of each arm, updated directly, (N, d, d).
        a_inverse: (N, d, d).
        b: (N, d).
    """

    variant: ClassVar[str] = "corrected"

    def __init__(self, *, correction_period: int = 5000, **settings: Any) -> None:
        super().__init__(**settings)
        self.correction_period = period(correction_period)
        self.a = self._identities(self.regularisation)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "correction_period": self.correction_period}

    @property
    def state(self) -> dict[str, Floats]:
        return {"a": self.a, **super().state}

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        self.a[arm] = add(self.a[arm], outer(x, x))
        super()._learn(contexts, arm, reward)
        if (self.steps + 1) % self.correction_period == 0:
            self.a_inverse[...] = lu_invert(self.a)
