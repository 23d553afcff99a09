"""UCB1-tuned (Auer, Cesa-Bianchi and Fischer, 2002), and with change detection."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gnomon.content.algorithms.common.epsilon import ConstantEpsilon
from gnomon.content.algorithms.ucb1.learner import UNTRIED, RewardMeans
from gnomon.learn.kernels import Floats, note
from gnomon.learn.settings import positive, share, whole


class UCB1Tuned(RewardMeans):
    """UCB1-tuned: with l = ln t / n, mean + ``beta`` sqrt(l min(1/4, variance + sqrt(2 l))).

    Contexts are ignored. Rewards must lie from 0 to 1, as 1/4 is the largest variance there: for
    larger ones the bound is too low, for smaller ones too high.

    Args:
        beta: 1 in the original.
    """

    name: ClassVar[str] = "ucb1-tuned"
    variant: ClassVar[str] = "standard"
    keeps: ClassVar[tuple[str, ...]] = ("count", "total", "squares")

    def __init__(self, *, arms: int, dimensions: int, beta: float = 1.0) -> None:
        super().__init__(arms=arms, dimensions=dimensions)
        self.beta = positive("beta", beta, zero=True)
        self.squares: Floats = np.zeros(arms)  # sums of squares of rewards, (N)

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        count = np.maximum(self.count, 1.0)
        means: Floats = self.total / count
        note("divide", (self.sizes.arms, 1), 2)
        if self._exploiting:
            return means
        note("divide", (self.sizes.arms, 1))
        note("log", (1,))
        note("sqrt", (2 * self.sizes.arms,))
        ratio = np.log(max(self.count.sum(), 1.0)) / count
        variances = np.maximum(self.squares / count - means**2, 0.0)
        spread = np.minimum(variances + np.sqrt(2.0 * ratio), 0.25)
        bounds = means + self.beta * np.sqrt(ratio * spread)
        return np.asarray(np.where(self.count > 0, bounds, UNTRIED))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        note("add", (3, 1))
        super()._learn(contexts, arm, reward)
        self.squares[arm] += reward**2


class CusumUCB1Tuned(ConstantEpsilon, UCB1Tuned):
    """UCB1-tuned that restarts an arm whose mean has changed: CUSUM-UCB.

    The first ``samples`` rewards of an arm give its mean u. From then on it follows
    rise = max(0, rise + r - u - drift) and fall = max(0, fall + u - r - drift). If one of them
    reaches the threshold, all that was learned of the arm is forgotten. A share ``epsilon`` of the
    decisions takes any arm, so that changes of other arms are noticed.

    Differences from Liu, Lee and Shroff (2018): the index is UCB1-tuned. Two public programs that
    follow the paper have the same sums. They set the threshold to ln(T / c) and the share to
    sqrt(c / T ln(T / c)) for c changes in T rounds; one of them states that Corollary 2 also has
    constants, and a share that is proportional to the arms. The paper itself was not at hand.
    The defaults are ln 1000, for 10 changes in 10,000 rounds, and 0.05 instead of 0.083, because
    random decisions cost regret in every round. ``samples`` and ``drift`` are gnomon's.

    Args:
        samples: rewards of the mean, M.
        drift: changes below it do not count.
        threshold: h.
        epsilon: share of random decisions.
        seed: seed of the generator.
        settings: as for the learner without detection.
    """

    variant: ClassVar[str] = "cusum"
    keeps: ClassVar[tuple[str, ...]] = (*UCB1Tuned.keeps, "reference", "rise", "fall")

    def __init__(
        self,
        *,
        samples: int = 100,
        drift: float = 0.1,
        threshold: float = 6.9078,
        epsilon: float = 0.05,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.samples = whole("samples", samples)
        self.drift = positive("drift", drift, zero=True)
        self.threshold = positive("threshold", threshold)
        self.epsilon = share("epsilon", epsilon)
        self.seed = whole("seed", seed, least=0)
        self.generator = np.random.default_rng(self.seed)
        self.reference: Floats = np.zeros(self.sizes.arms)  # u of each arm, (N)
        self.rise: Floats = np.zeros(self.sizes.arms)  # sums of the test, (N)
        self.fall: Floats = np.zeros(self.sizes.arms)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        super()._learn(contexts, arm, reward)
        if self.count[arm] < self.samples:
            return
        if self.count[arm] == self.samples:
            self.reference[arm] = self.total[arm] / self.samples
            return
        above = reward - float(self.reference[arm])
        note("add", (4, 1))
        self.rise[arm] = max(0.0, self.rise[arm] + above - self.drift)
        self.fall[arm] = max(0.0, self.fall[arm] - above - self.drift)
        if max(self.rise[arm], self.fall[arm]) >= self.threshold:
            for array in self.state.values():
                array[arm] = 0.0
