"""UCB1 (Auer et al., 2002): arms without contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn._reward_means import RewardMeans
from gnomon.learn.learner import positive

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class UCB1(RewardMeans):
    """Mean reward of an arm + ``beta`` sqrt(2 ln t / n).

    Args:
        arms: C.
        dimensions: of contexts, which have no part.
        beta: 1 in the original.
    """

    name: ClassVar[str] = "ucb1"
    variant: ClassVar[str] = "standard"

    def __init__(self, *, arms: int, dimensions: int, beta: float = 1.0) -> None:
        super().__init__(arms=arms, dimensions=dimensions)
        self.beta = positive("beta", beta, zero=True)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "beta": self.beta}

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        return self._bounds(self.beta, float(np.log(max(self.count.sum(), 1.0))))
