"""Algorithm 1 as published: every arm is solved whenever a step is exploited."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gnomon.learn.epsilon_greedy._coin import Coin, ridge_of
from gnomon.learn.kernels import solve_positive

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


def solve_arm(a: Floats, b: Floats, count: float) -> Floats:
    """The weights (A + sqrt(n) I)^-1 b, which is the paper's (A / n + I / sqrt(n))^-1 b / n."""
    return solve_positive(a + ridge_of(count) * np.eye(len(b)), b)


class EpsilonGreedy(Coin):
    """Contextual epsilon-greedy, Algorithm 1: K factorisations of d x d per exploited step.

    Example:
        >>> learner = EpsilonGreedy(arms=2, dimensions=1, p=2)
        >>> [learner.select([1.0]) for _ in range(2)]
        [1, 1]
        >>> learner.update([1.0], arm=1, reward=0.5)
        >>> learner.select([1.0])
        0
    """

    variant: ClassVar[str] = "standard"

    def _theta(self) -> Floats:
        rows = (range(self.sizes.arms), self.count)
        theta = np.zeros_like(self.b)
        for arm, count in zip(*rows, strict=True):
            if count:
                theta[arm] = solve_arm(self.a[arm], self.b[arm], float(count))
        return theta
