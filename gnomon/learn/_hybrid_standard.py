"""Hybrid LinearUCB as published: A and A0 are kept, and inverted whenever an arm is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn._hybrid import Hybrid, shared_part, shared_square
from gnomon.learn.kernels import add, lu_invert, outer, scale, sub

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class HybridLinUCB(Hybrid):
    """Equations (3) to (6): one inversion of k x k and N of d x d in every select, 2 in an update.

    Attributes:
        a0: (k, k).
        b0: (k).
        a: A of each arm, (N, d, d).
        b: (N, d).
        cross: B of each arm, (N, d, k).
    """

    variant: ClassVar[str] = "standard"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a0 = self.regularisation * np.eye(self.shared_size)
        self.a = self._identities(self.regularisation)

    @property
    def state(self) -> dict[str, Floats]:
        return {"a0": self.a0, "b0": self.b0, "a": self.a, "b": self.b, "cross": self.cross}

    def _scores(self, contexts: Floats) -> Floats:
        return self._scores_from(lu_invert(self.a0), lu_invert(self.a), contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        a_inverse = lu_invert(self.a[arm])
        a0 = add(self.a0, shared_square(self.cross[arm], a_inverse))  # (4)
        b0 = add(self.b0, shared_part(self.cross[arm], a_inverse, self.b[arm]))
        z = self._z(contexts, arm)
        a = add(self.a[arm], outer(x, x))  # (5)
        cross, b = self._own(arm, x, z, reward)
        a_inverse = lu_invert(a)
        a0 = sub(add(a0, outer(z, z)), shared_square(cross, a_inverse))  # (6)
        b0 = sub(add(b0, scale(z, reward)), shared_part(cross, a_inverse, b))
        self.a0[...], self.b0[...] = a0, b0  # last, so that an error changes nothing
        self.a[arm], self.cross[arm], self.b[arm] = a, cross, b
