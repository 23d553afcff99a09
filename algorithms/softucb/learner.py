"""SoftUCB as learners: with a fixed width, with incremental updates, and online."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import (
    Floats,
    add,
    dot,
    exp,
    matvec,
    note,
    outer,
    scale,
    sherman_morrison,
    sub,
)
from gnomon.learn.learner import LARGEST_CONTEXT
from gnomon.learn.settings import positive, rows_of_arms, whole

from .index import DELTA_SOFT, LEAST_BETA, covariance_term, draw, index, next_gamma


class SharedLinear(Learner):
    """One ridge regression for all arms, on the products of an arm's features and the context.

    The setting of the paper, arms with d fixed features and no context, is a context of length 1
    that is always 1, and the features as ``arm_features``. Without ``arm_features`` each arm has
    one feature of its own, which makes a model for each arm.

    Args:
        arm_features: one row of features for each arm, (K, f).
        regularisation: alpha of the paper; V starts as alpha I.
        seed: seed of random choices; None for deterministic learners.

    Raises:
        GnomonError: if a setting is out of range.
    """

    keeps: ClassVar[tuple[str, ...]] = ("inverse", "b")

    def __init__(
        self,
        *,
        arms: int,
        dimensions: int,
        arm_features: ArrayLike | None = None,
        regularisation: float = 1.0,
        seed: int | None = None,
    ) -> None:
        rows: Floats
        if arm_features is None:
            rows = np.eye(max(arms, 1))
        else:
            shape = f"({arms}, features)"
            rows = rows_of_arms(
                "arm_features", arm_features, shape, arms=arms, limit=LARGEST_CONTEXT
            )
        super().__init__(Sizes(arms, dimensions, rows.shape[1]), seed=seed)
        self.arm_features: Floats = rows
        self.regularisation = positive("regularisation", regularisation)
        size = rows.shape[1] * dimensions
        self.inverse: Floats = np.eye(size) / self.regularisation  # V^-1, (f d, f d)
        self.b: Floats = np.zeros(size)  # sum of rewards times joint features, (f d)

    @property
    def largest_context(self) -> float:
        """Largest element of a context; smaller if features are larger than 1."""
        return LARGEST_CONTEXT / max(1.0, float(np.abs(self.arm_features).max()))

    def _joint(self, contexts: Floats) -> Floats:
        """Return rows x_i, (K, f d); equal to the features for contexts of length 1."""
        products = outer(self.arm_features, contexts)
        return products.reshape(len(contexts), -1)

    def _means(self, joint: Floats) -> Floats:
        """Return mu_hat of all arms."""
        return matvec(joint, matvec(self.inverse, self.b))

    def _norms(self, joint: Floats) -> Floats:
        """Return the norms n of all arms, sqrt(x^T V^-1 x)."""
        spread = matvec(np.broadcast_to(self.inverse, (len(joint), *self.inverse.shape)), joint)
        return self._widths(dot(joint, spread), lambda: np.abs(joint * spread).sum(axis=-1))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self._learn_row(self._joint(contexts)[arm], reward)

    def _learn_row(self, x: Floats, reward: float) -> None:
        self.inverse[:] = sherman_morrison(self.inverse, x)
        self.b[:] = add(self.b, scale(x, reward))


class SoftUCB(SharedLinear):
    """SoftUCB, Algorithm 1, with a given width; V^-1 is updated, norms are recomputed.

    Args:
        beta: the width; ``train`` finds one for a set of arms.
    """

    name, variant = "softucb", "standard"
    follows_scores = False
    keeps: ClassVar[tuple[str, ...]] = (*SharedLinear.keeps, "gamma")

    def __init__(self, *, beta: float = 0.7, seed: int = 0, **settings: Any) -> None:
        super().__init__(seed=seed, **settings)
        self.beta = positive("beta", beta)
        # gamma of the next round, (1); 0 before the first one, which is uniform
        self.gamma: Floats = np.zeros(1)

    @property
    def present_beta(self) -> float:
        """Width of the next round."""
        return self.beta

    def _estimates(self, joint: Floats) -> tuple[Floats, Floats]:
        """Return mu_hat and n of all arms."""
        return self._means(joint), self._norms(joint)

    def _scores(self, contexts: Floats) -> Floats:
        means, norms = self._estimates(self._joint(contexts))
        return add(means, scale(norms, self.present_beta))

    def _weights(self, upper: Floats) -> Floats:
        distance = scale(sub(upper, np.broadcast_to(upper.max(), upper.shape)), self.gamma[0])
        return exp(distance)

    def _choose(self, contexts: Floats) -> int:
        of_arms = self._weights(self._offered(self._scores(contexts)))
        note("prefix_sum", of_arms.shape)
        return self._offered_arm(int(draw(of_arms, float(self._random()[0]))))

    def _chances(self, contexts: Floats) -> Floats:
        weights = self._weights(self._offered(self._scores(contexts)))
        chances: Floats = np.zeros(self.sizes.arms)
        chances[slice(None) if self._on_offer is None else self._on_offer] = weights / weights.sum()
        return chances

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        joint = self._joint(contexts)
        means, norms = self._estimates(joint)
        of_round = index(means, norms, self.present_beta)
        note("scale", (len(means), 1), 2)
        note("argmax", means.shape, 2)
        self._learn_arm(joint, arm, reward)
        self._after(means, norms, of_round.upper)
        note("divide", (1, 1))  # the logarithm is one of K constants
        self.gamma[0] = next_gamma(of_round, DELTA_SOFT)

    def _learn_arm(self, joint: Floats, arm: int, reward: float) -> None:
        self._learn_row(joint[arm], reward)

    def _after(self, means: Floats, norms: Floats, upper: Floats) -> None:
        """Process the round in the online learner."""


class IncrementalSoftUCB(SoftUCB):
    """SoftUCB with one product to update mu_hat and n^2 of every arm while arms are unchanged."""

    variant: ClassVar[str] = "optimized"
    keeps: ClassVar[tuple[str, ...]] = (*SoftUCB.keeps, "rows", "means", "squares")

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        arms, size = len(self.arm_features), len(self.b)
        self.rows: Floats = np.zeros((arms, size))  # the joint features they belong to, (K, f d)
        self.means: Floats = np.zeros(arms)  # mu_hat, (K)
        self.squares: Floats = np.zeros(arms)  # n^2, (K)

    def _estimates(self, joint: Floats) -> tuple[Floats, Floats]:
        if not np.array_equal(joint, self.rows):
            self.rows[:] = joint
            self.means[:] = self._means(joint)
            spread = matvec(np.broadcast_to(self.inverse, (len(joint), *self.inverse.shape)), joint)
            self.squares[:] = dot(joint, spread)
        return self.means.copy(), self._widths(self.squares, lambda: np.full(len(joint), np.inf))

    def _learn_arm(self, joint: Floats, arm: int, reward: float) -> None:
        u = matvec(self.inverse, joint[arm])
        z = matvec(joint, u)
        denominator = 1.0 + z[arm]
        error = (reward - self.means[arm]) / denominator
        note("rank1_update", (len(joint), 1), 2)
        self.means += error * z
        self.squares -= z * (z / denominator)
        note("rank1_symmetric", self.b.shape)
        self.inverse -= u[:, None] * (u / denominator)[None, :]
        self.b += reward * joint[arm]


class OnlineSoftUCB(IncrementalSoftUCB):
    """Incremental SoftUCB that updates the width after every round, equation (15).

    Args:
        horizon: T; from round T on only the history counts.
        eta: weight of the constraint on the width.
        learning_rate: learning rate of the width.
        settings: as for ``SoftUCB``; ``beta`` is the initial width.
    """

    variant: ClassVar[str] = "online"
    keeps: ClassVar[tuple[str, ...]] = (*IncrementalSoftUCB.keeps, "width")

    def __init__(
        self,
        *,
        horizon: int = 2048,
        eta: float = 0.01,
        learning_rate: float = 0.01,
        **settings: Any,
    ) -> None:
        super().__init__(**{"beta": 1.0, **settings})
        self.horizon = whole("horizon", horizon)
        self.eta = positive("eta", eta, zero=True)
        self.learning_rate = positive("learning_rate", learning_rate)
        # beta, and the sum of the covariance terms so far, (2)
        self.width: Floats = np.array([self.beta, 0.0])

    @property
    def present_beta(self) -> float:
        return float(self.width[0])

    def _after(self, means: Floats, norms: Floats, upper: Floats) -> None:
        of_arms = self._weights(upper)
        note("dot", of_arms.shape, 3)
        note("divide", (2, 1))
        term = float(covariance_term(means, norms, of_arms, np.asarray(self.gamma[0])))
        self.width[1] += term
        left = max(self.horizon - self.steps - 1, 0)
        total = self.width[1] + left * term + self.eta * float(norms.sum())
        moved = self.width[0] + self.learning_rate * total / self.horizon
        self.width[0] = max(LEAST_BETA, moved)
