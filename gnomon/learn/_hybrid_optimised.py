"""Hybrid LinearUCB, Algorithm 2: inverses are kept, and updated by Sherman-Morrison-Woodbury."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn._hybrid import Hybrid, shared_part
from gnomon.learn.kernels import (
    add,
    lu_invert,
    outer,
    scale,
    sherman_morrison,
    sub,
    woodbury,
)

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class HybridLinUCBOptimised(Hybrid):
    """Algorithm 2 with equations (10) to (12): three inversions of d x d in an update, no other.

    Two of the three are inside the Woodbury updates; the third gives A from its inverse. After
    line 21 A follows as A + x x^T, which keeps the count at the three that the paper states.

    Attributes:
        a0_inverse: (k, k).
        b0: (k).
        a_inverse: inverse of A of each arm, (N, d, d).
        b: (N, d).
        cross: B of each arm, (N, d, k).
    """

    variant: ClassVar[str] = "optimized"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a0_inverse = np.eye(self.shared_size) / self.regularisation
        self.a_inverse = self._identities(1.0 / self.regularisation)

    @property
    def state(self) -> dict[str, Floats]:
        return {
            "a0_inverse": self.a0_inverse,
            "b0": self.b0,
            "a_inverse": self.a_inverse,
            "b": self.b,
            "cross": self.cross,
        }

    def _scores(self, contexts: Floats) -> Floats:
        return self._scores_from(self.a0_inverse, self.a_inverse, contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x, z = contexts[arm], self._z(contexts, arm)
        a_inverse, cross, b = self.a_inverse[arm], self.cross[arm], self.b[arm]
        a = lu_invert(a_inverse)
        a0_inverse = woodbury(self.a0_inverse, cross, a, sign=1)  # line 19
        b0 = add(self.b0, shared_part(cross, a_inverse, b))  # line 20
        a_inverse = sherman_morrison(a_inverse, x)  # line 21
        a = add(a, outer(x, x))
        cross, b = self._own(arm, x, z, reward)  # lines 22 and 23
        a0_inverse = sherman_morrison(a0_inverse, z)  # line 24
        a0_inverse = woodbury(a0_inverse, cross, a, sign=-1)  # line 25
        b0 = sub(add(b0, scale(z, reward)), shared_part(cross, a_inverse, b))  # line 26
        self.a0_inverse[...], self.b0[...] = a0_inverse, b0  # last: an error changes nothing
        self.a_inverse[arm], self.cross[arm], self.b[arm] = a_inverse, cross, b
