"""Contextual epsilon-greedy of Bento, Ioannidis, Muthukrishnan and Yan, and its relatives.

All learn from their exploring steps alone: contexts of explored steps are independent of everything
learned before, as the analysis requires.
"""

from __future__ import annotations

from abc import abstractmethod
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import (
    Floats,
    add,
    dot,
    eigen_symmetric,
    matvec,
    outer_symmetric,
    scale,
    sherman_morrison,
    solve_positive,
)
from gnomon.learn.settings import share, whole

from .suggest import SMALLEST_EIGENVALUE, suggest_p

WARM_UP_STEPS = 30
"""Round robin of the learner with constant odds (a choice; it is not in the paper)."""


class Exploring(Learner):
    """One linear regression per arm that learns from exploration only.

    A step is either explored, with an arm independent of the context, or exploited; the
    reward of an exploited step is not learned. A reward without a preceding selection counts as
    explored elsewhere, and is learned. Steps count decisions, not rewards, if rewards are delayed.
    """

    follows_scores = False
    leaves = ("exploring",)
    keeps: ClassVar[tuple[str, ...]] = ("a", "b", "count", "exploring")

    def __init__(self, *, arms: int, dimensions: int, seed: int = 0) -> None:
        super().__init__(Sizes(arms, dimensions), seed=seed)
        # sum of x x^T of each arm, (K, d, d)
        self.a: Floats = np.zeros((arms, dimensions, dimensions))
        self.b: Floats = np.zeros((arms, dimensions))  # sum of r x, (K, d)
        self.count: Floats = np.zeros(arms)  # rewards learned, n, (K)
        # 1 if the last selection explored, or its reward has arrived, else 0; (1)
        self.exploring: Floats = np.ones(1)

    @abstractmethod
    def _odds(self) -> float | None:
        """Return the probability of a random arm in this step; None: it takes the next in turn."""

    def _explored_arm(self) -> int | None:
        """Return the arm of this step if it explores, else None."""
        odds = self._odds()
        if odds is None:
            return self._arm_in_turn(self._turn + 1)
        return self._random_arm() if float(self._random()[0]) < odds else None

    def _chances(self, contexts: Floats) -> Floats:
        odds = self._odds()
        if odds is None:
            return self._surely(self._arm_in_turn(self._turn + 1))
        best = self._surely(self._best(self._scores(contexts)))
        return odds * self._evenly() + (1.0 - odds) * best

    @abstractmethod
    def _theta(self) -> Floats:
        """Return the weights of all arms, (K, d)."""

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


class Coin(Exploring):
    """Bento et al.'s exploration: in step t <= p arm t mod K, then with probability p / t any arm.

    Arms count from 0 here, so the first step plays arm 1 and step K plays arm 0, as in the paper.

    Args:
        p: weight of exploration, a whole number from K. None: 10 K. ``suggest_p`` gives the
            paper's, from explored rewards.
    """

    name: ClassVar[str] = "bento-epsilon-greedy"
    suggest_p = staticmethod(suggest_p)

    def __init__(self, *, p: int | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        arms = self.sizes.arms
        self.p = 10 * arms if p is None else whole("p", p)
        if self.p < arms:
            raise GnomonError(
                f"p must be at least the number of arms, {arms}, so that each is explored once;"
                f" not {p}"
            )

    def _odds(self) -> float | None:
        step = self._turn + 1
        return None if step <= self.p else self.p / step


def _solve_arm(a: Floats, b: Floats, count: float) -> Floats:
    """Compute the weights (A + sqrt(n) I)^-1 b; in the paper (A / n + I / sqrt(n))^-1 b / n."""
    return solve_positive(a + count**0.5 * np.eye(len(b)), b)


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
        theta = np.zeros_like(self.b)
        for arm in np.flatnonzero(self.count):
            theta[arm] = _solve_arm(self.a[arm], self.b[arm], float(self.count[arm]))
        return theta


class Lazy(Exploring):
    """Cache of theta: an arm is solved when first needed after its exploration."""

    keeps: ClassVar[tuple[str, ...]] = (*Exploring.keeps, "theta", "dirty")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.theta: Floats = np.zeros_like(self.b)  # (K, d)
        # 1 for arms explored since they were solved, (K)
        self.dirty: Floats = np.zeros(self.sizes.arms)

    def _theta(self) -> Floats:
        for arm in np.flatnonzero(self.dirty):
            self.theta[arm] = _solve_arm(self.a[arm], self.b[arm], float(self.count[arm]))
            self.dirty[arm] = 0.0
        return self.theta

    def _learn_explored(self, x: Floats, arm: int, reward: float) -> None:
        super()._learn_explored(x, arm, reward)
        self.dirty[arm] = 1.0


class LazyEpsilonGreedy(Lazy, Coin):
    """Choices of ``EpsilonGreedy`` bit for bit, with at most one solve per explored step."""

    variant: ClassVar[str] = "optimized"


class FixedEpsilonGreedy(Lazy):
    """Estimator of ``LazyEpsilonGreedy`` with constant odds of exploration: regret grows linearly.

    Args:
        epsilon: probability of exploring a step after the first 30.
    """

    name, variant = "fixed-epsilon-greedy", "standard"

    def __init__(self, *, epsilon: float = 0.1, **settings: Any) -> None:
        super().__init__(**settings)
        self.epsilon = share("epsilon", epsilon)

    def _odds(self) -> float | None:
        return None if self._turn < max(WARM_UP_STEPS, self.sizes.arms) else self.epsilon


class RankOneEpsilonGreedy(Coin):
    """Variant with a fixed ridge of 1 instead of sqrt(n), hence with rank-one updates.

    Sherman-Morrison is exact here; with the paper's ridge it is not, as every diagonal moves.

    Attributes:
        a: here the inverse of I + sum of x x^T, (K, d, d).
    """

    variant: ClassVar[str] = "rank-one"
    keeps: ClassVar[tuple[str, ...]] = (*Coin.keeps, "theta")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.a[...] = np.eye(self.sizes.dimensions)
        self.theta: Floats = np.zeros_like(self.b)  # (K, d)

    def _theta(self) -> Floats:
        return self.theta

    def _learn_explored(self, x: Floats, arm: int, reward: float) -> None:
        self.count[arm] += 1
        self.b[arm] = add(self.b[arm], scale(x, reward))
        self.a[arm] = sherman_morrison(self.a[arm], x)
        self.theta[arm] = matvec(self.a[arm], self.b[arm])


class EpochGreedy(Exploring):
    """Langford and Zhang (2007) with least squares as the oracle.

    Epoch l is one step of uniform exploration, then l steps of exploitation. gnomon chose these
    lengths; in the original they depend on the number of hypotheses.
    """

    name, variant = "epoch-greedy", "standard"
    keeps: ClassVar[tuple[str, ...]] = (*Exploring.keeps, "theta")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.theta: Floats = np.zeros_like(self.b)  # least squares of smallest norm, (K, d)

    def _odds(self) -> float:
        # Epoch l starts after (l - 1) + (l - 1) l / 2 steps.
        before = (isqrt(9 + 8 * self._turn) - 3) // 2
        return float(before * (before + 3) // 2 == self._turn)

    def _explored_arm(self) -> int | None:
        return self._random_arm() if self._odds() else None

    def _theta(self) -> Floats:
        return self.theta

    def _learn_explored(self, x: Floats, arm: int, reward: float) -> None:
        super()._learn_explored(x, arm, reward)
        values, vectors = eigen_symmetric(self.a[arm])
        kept = values > SMALLEST_EIGENVALUE * values[-1]
        inverses = np.zeros_like(values)
        inverses[kept] = 1.0 / values[kept]
        self.theta[arm] = matvec(vectors, inverses * matvec(vectors.T, self.b[arm]))
