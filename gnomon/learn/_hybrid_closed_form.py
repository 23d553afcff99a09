"""Hybrid LinearUCB, Algorithm 2 corrected from A alone. Ours, not the paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.learn._exact import closed_form_inverse
from gnomon.learn._hybrid_optimised import HybridLinUCBOptimised
from gnomon.learn.kernels import add, lu_invert, outer
from gnomon.learn.learner import period

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class HybridLinUCBClosedForm(HybridLinUCBOptimised):
    """A beside its inverse; every ``correction_period`` updates all inverses follow from A.

    The features of the arms are fixed, so A0 is a function of all A (see ``closed_form_inverse``):
    no direct A0 is kept or updated, and nothing cancels in the correction.

    Attributes:
        a: A of each arm, updated directly, (N, d, d).
    """

    variant: ClassVar[str] = "closed-form"

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
        super()._learn(contexts, arm, reward)
        self.a[arm] = add(self.a[arm], outer(x, x))
        if (self.steps + 1) % self.correction_period == 0:
            self.a_inverse[...] = lu_invert(self.a)
            self.a0_inverse[...] = closed_form_inverse(
                self.a_inverse, self.arm_features, self.regularisation
            )
