"""Disjoint LinearUCB as published: A is kept, and inverted whenever an arm is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.learn._disjoint import Disjoint
from gnomon.learn.kernels import add, lu_invert, outer, scale

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class DisjointLinUCB(Disjoint):
    """Equations (1) and (2) of Li et al.'s algorithm: N inversions of d x d in every select.

    Attributes:
        a: A of each arm, (N, d, d).
        b: (N, d).

    Example:
        >>> learner = DisjointLinUCB(arms=2, dimensions=2)
        >>> learner.select([1.0, 0.0])
        0
        >>> learner.update([1.0, 0.0], arm=0, reward=-1.0)
        >>> learner.select([1.0, 0.0])
        1
    """

    variant: ClassVar[str] = "standard"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a = self._identities(self.regularisation)

    @property
    def state(self) -> dict[str, Floats]:
        return {"a": self.a, "b": self.b}

    def _scores(self, contexts: Floats) -> Floats:
        return self._scores_from(lu_invert(self.a), contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        self.a[arm] = add(self.a[arm], outer(x, x))
        self.b[arm] = add(self.b[arm], scale(x, reward))
