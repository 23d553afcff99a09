"""Linear models by stochastic gradient steps: O(d) numbers and operations for each arm."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.common.epsilon import ConstantEpsilon
from gnomon.learn import Sizes
from gnomon.learn.kernels import Floats, add, dot, note, scale
from gnomon.learn.settings import positive, share


class LinSgd(ConstantEpsilon):
    """One linear model per arm, learned by implicit gradient steps; epsilon-greedy exploration.

    The n-th reward of an arm, n from 0, has the step size eta = step / (1 + step decay n), Bottou's
    law, and moves the weights by eta / (1 + eta |x|^2) (r - theta^T x) x: the gradient is that at
    the new weights (Toulis and Airoldi), so that no context and no step size makes them diverge.

    The law is optimal if ``decay`` is the smallest eigenvalue of E[x x^T], which is unknown in
    advance: a larger decay learns too slowly in directions with a small eigenvalue, and a smaller
    one leaves more noise. Without decay the step is constant, and the arm follows drift.

    Args:
        step: first step size, above 0 and at most 1.
        decay: lambda of the law.
        epsilon: probability of a random arm.
        seed: seed of the generator.

    Raises:
        GnomonError: if a setting is out of range.

    Example:
        >>> learner = LinSgd(arms=2, dimensions=2, epsilon=0.0)
        >>> learner.update([1.0, 0.0], arm=1, reward=1.0)
        >>> learner.theta[1].tolist()
        [0.5, 0.0]
    """

    name: ClassVar[str] = "lin-sgd"
    variant: ClassVar[str] = "standard"
    keeps: ClassVar[tuple[str, ...]] = ("theta", "count")

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        step: float = 1.0,
        decay: float = 0.1,
        epsilon: float = 0.1,
        seed: int = 0,
    ) -> None:
        super().__init__(Sizes(arms, dimensions), seed=seed)
        self.step = share("step", step)
        if not self.step:
            raise GnomonError("step must be above 0: nothing would be learned")
        self.decay = positive("decay", decay, zero=True)
        self.epsilon = share("epsilon", epsilon)
        self.theta: Floats = np.zeros((arms, dimensions))  # weights of each arm, (N, d)
        self.count: Floats = np.zeros(arms)  # rewards of each arm, (N)

    def _scores(self, contexts: Floats) -> Floats:
        return dot(self.theta, contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        note("divide", (1, 1), 2)
        eta = 1.0 / (1.0 / self.step + self.decay * float(self.count[arm]))
        error = reward - float(dot(self.theta[arm], x))
        gain = eta * error / (1.0 + eta * float(dot(x, x)))
        self.theta[arm] = add(self.theta[arm], scale(x, gain))
        self.count[arm] += 1.0
