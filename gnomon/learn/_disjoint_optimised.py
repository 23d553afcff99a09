"""Disjoint LinearUCB, Algorithm 1: the inverse of A is kept, and updated by Sherman-Morrison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.learn._disjoint import Disjoint
from gnomon.learn._disjoint_run import run_disjoint
from gnomon.learn._trace import recording
from gnomon.learn.kernels import add, scale, sherman_morrison

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats
    from gnomon.learn.learner import Arms


class DisjointLinUCBOptimised(Disjoint):
    """Algorithm 1 with equation (8): no inversion at all.

    Attributes:
        a_inverse: inverse of A of each arm, (N, d, d).
        b: (N, d).
    """

    variant: ClassVar[str] = "optimized"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a_inverse = self._identities(1.0 / self.regularisation)

    @property
    def state(self) -> dict[str, Floats]:
        return {"a_inverse": self.a_inverse, "b": self.b}

    def _scores(self, contexts: Floats) -> Floats:
        return self._scores_from(self.a_inverse, contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        self.a_inverse[arm] = sherman_morrison(self.a_inverse[arm], x)  # line 14
        self.b[arm] = add(self.b[arm], scale(x, reward))  # line 15

    def _run(self, contexts: Floats, rewards: Floats, chosen: Arms) -> None:
        # Others do more in a step than this class, and a trace wants to see the kernels.
        if type(self) is not DisjointLinUCBOptimised or recording():
            super()._run(contexts, rewards, chosen)
        else:
            run_disjoint(self, contexts, rewards, chosen)
