"""Any arm, in every step: the yardstick of all regrets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn.learner import Learner, Sizes

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class Uniform(Learner):
    """Draws each arm with the same probability and learns nothing.

    Args:
        arms: K.
        dimensions: d.
        seed: of the draws.
    """

    name: ClassVar[str] = "uniform"
    variant: ClassVar[str] = "standard"
    follows_scores = False

    def __init__(self, *, arms: int, dimensions: int, seed: int = 0) -> None:
        super().__init__(Sizes(arms, dimensions), seed=seed)
        self.seed = seed

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "seed": self.seed,
        }

    @property
    def state(self) -> dict[str, Floats]:
        return {}

    def _choose(self, contexts: Floats) -> int:
        del contexts
        return self._random_arm()

    def _scores(self, contexts: Floats) -> Floats:
        return np.zeros(len(contexts))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        pass
