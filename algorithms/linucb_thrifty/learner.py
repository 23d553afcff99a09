"""Disjoint LinearUCB that compares the expected gain of an update with its cost."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from gnomon.content.algorithms.linucb_disjoint.learner import Disjoint
from gnomon.learn.kernels import Floats, add, dot, matvec, note, outer, scale, sub
from gnomon.learn.settings import positive, whole


class ThriftyLinUCB(Disjoint):
    """Disjoint LinearUCB that skips an update if its expected gain is below its cost.

    With v = x^T A^-1 x and rewards whose noise is alpha, an update moves the estimate of its arm in
    context x by a normal step of deviation s = alpha v / sqrt(1 + v). It has a gain if the step
    makes another arm the best one: with a gap to the next best estimate, s (phi(z) - z Phi(-z))
    per round, z = gap / s, the knowledge gradient of Frazier, Powell and Dayanik (2008). The gain
    sums all rounds up to the horizon, as if their contexts were like this one; from the
    horizon on nothing is learned.

    Args:
        cost: cost of an update, in rewards: its energy times the value of a unit of energy.
        horizon: number of rounds to play.

    Raises:
        GnomonError: if a setting is out of range.
    """

    name: ClassVar[str] = "linucb-thrifty"
    variant: ClassVar[str] = "standard"
    keeps: ClassVar[tuple[str, ...]] = ("a_inverse", "theta", "taught")

    def __init__(self, *, cost: float = 0.001, horizon: int = 10_000, **settings: Any) -> None:
        super().__init__(**settings)
        self.cost = positive("cost", cost, zero=True)
        self.horizon = whole("horizon", horizon)
        self.a_inverse = self._identities(1.0 / self.regularisation)  # (N, d, d)
        self.theta: Floats = np.zeros_like(self.b)  # A^-1 b of each arm, (N, d)
        self.taught: Floats = np.zeros(self.sizes.arms)  # updates made, by arm

    def _scores(self, contexts: Floats) -> Floats:
        return self._scores_from(self.a_inverse, self.theta, contexts)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        x = contexts[arm]
        spread = matvec(self.a_inverse[arm], x)
        variance = max(float(dot(x, spread)), 0.0)
        means = dot(self.theta, contexts)
        if self.cost and self._gain(variance, means, arm) < self.cost:
            return
        shrunk = scale(spread, 1.0 / (1.0 + variance))
        self.a_inverse[arm] = sub(self.a_inverse[arm], outer(spread, shrunk))
        self.theta[arm] = add(self.theta[arm], scale(shrunk, reward - float(means[arm])))
        self.taught[arm] += 1.0

    def _gain(self, variance: float, means: Floats, arm: int) -> float:
        """Return the expected gain, up to the horizon, of learning a reward of the arm."""
        note("sqrt", (1,))
        note("exp", (1,), 2)
        others = np.delete(means, arm)
        step = self.alpha * variance / math.sqrt(1.0 + variance)
        if not len(others) or step == 0.0:
            return 0.0  # no other choice, or nothing to learn
        z = abs(float(means[arm] - others.max())) / step
        density = math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi)
        tail = math.erfc(z / math.sqrt(2.0)) / 2.0
        return max(self.horizon - self.steps, 0) * step * max(density - z * tail, 0.0)
