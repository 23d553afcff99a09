"""What the learners share that learn from their exploring steps alone: who explores, A, b and n."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from gnomon.learn.kernels import Floats, add, dot, outer_symmetric, scale
from gnomon.learn.learner import Learner, Sizes


class Exploring(Learner):
    """One linear regression per arm, fed by exploration only.

    A step is either explored, with an arm that the context has no part in, or exploited. The
    reward of an exploited step is not learned: contexts of explored steps are independent of all
    that was learned before, which is what the analysis rests on. A reward that no selection
    precedes is taken as explored elsewhere, and learned.

    Args:
        arms: K.
        dimensions: d, the length of a context.
        seed: of the coins and of the explored arms.

    Attributes:
        a: sum of x x^T of each arm, (K, d, d).
        b: sum of r x, (K, d).
        count: rewards learned, n, (K).
        exploring: 1 if the last selection explored, or its reward has come, else 0; (1).
    """

    follows_scores = False

    def __init__(self, *, arms: int, dimensions: int, seed: int = 0) -> None:
        super().__init__(Sizes(arms, dimensions), seed=seed)
        self.seed = seed
        self.a: Floats = np.zeros((arms, dimensions, dimensions))
        self.b: Floats = np.zeros((arms, dimensions))
        self.count: Floats = np.zeros(arms)
        self.exploring: Floats = np.ones(1)

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "seed": self.seed,
        }

    @property
    def state(self) -> dict[str, Floats]:
        return {"a": self.a, "b": self.b, "count": self.count, "exploring": self.exploring}

    @abstractmethod
    def _explored_arm(self) -> int | None:
        """The arm of this step if it explores, else None."""

    @abstractmethod
    def _theta(self) -> Floats:
        """The weights of all arms, (K, d)."""

    def _scores(self, contexts: Floats) -> Floats:
        return dot(self._theta(), contexts)

    def _choose(self, contexts: Floats) -> int:
        arm = self._explored_arm()
        self.exploring[0] = arm is not None
        return self._best(self._scores(contexts)) if arm is None else arm

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        if self.exploring[0]:
            self._learn_explored(contexts[arm], arm, reward)
        self.exploring[0] = 1.0

    def _learn_explored(self, x: Floats, arm: int, reward: float) -> None:
        self.count[arm] += 1
        self.b[arm] = add(self.b[arm], scale(x, reward))
        self.a[arm] += outer_symmetric(x)
