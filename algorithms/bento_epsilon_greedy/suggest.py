"""Weight of exploration p from data: condition (4) of Theorem 4.2 of Bento et al., section 4.2.

:func:`suggest_p` is for users, as ``find_learner("bento-epsilon-greedy").suggest_p``: explored
rewards and a gap that matters give p. The paper's own way, with the gap that a run shows, is
:func:`running_constants`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats
from gnomon.learn.settings import positive

SMALLEST_EIGENVALUE = 1e-10
"""Eigenvalues below this share of the largest count as 0."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Constants of condition (4) of Theorem 4.2."""

    eigenvalue: float  # Sigma_min: smallest of E[x x^T] that is not 0
    gap: float  # Delta_min: between the best arm and the next one
    noise: float  # L, the paper's: that of N(0, s^2) is s / sqrt(2)

    def p(self, arms: int, multiplier: float = 1.0) -> int:
        """Return the smallest p of condition (4); the paper does not state the multiplier C."""
        below = (min(1.0, self.gap) * min(1.0, self.eigenvalue)) ** 2
        return max(arms, ceil(multiplier * arms * max(1.0, self.noise) ** 2 / below))


def smallest_eigenvalue(moment: Floats) -> float:
    """Return the smallest eigenvalue of (d, d) above 0 within rounding."""
    values = np.linalg.eigvalsh(moment)
    return float(values[values > SMALLEST_EIGENVALUE * values[-1]][0])


def suggest_p(
    contexts: Floats, arms: Any, rewards: Floats, *, count: int, gap: float, multiplier: float = 1.0
) -> int:
    """Return the weight of exploration p of condition (4) from explored rewards.

    p = C K max(1, L)^2 / (min(1, gap) min(1, Sigma_min))^2, rounded up, and at least K (Bento et
    al., arXiv 1207.3024, Theorem 4.2). Sigma_min is the smallest eigenvalue of the mean of x x^T. L
    is the noise, from the residuals of one least squares fit per arm; a standard deviation s has
    L = s / sqrt(2).

    Limits:

    * The multiplier C is a constant that the paper does not state. p is thus an order of magnitude:
      it states how p changes with K, the gap, the contexts and the noise.
    * The gap is the user's. An estimate from data is near 0 whenever two estimates cross, which
      changed p by more than a factor of 10 on 3 of 4 sampled bandits.
    * With contexts of norm 1, Sigma_min is at most 1 / d, so p grows at least with d^2. Noise below
      1 and contexts above 1 do not reduce p.
    * Rewards must belong to arms that were drawn independently of the context, such as those of
      the first steps in turn. A linear model that does not hold counts as noise.

    Args:
        contexts: of explored steps, (T, d).
        arms: arms played, (T).
        rewards: (T).
        count: number of arms, K.
        gap: the least difference of expected rewards that matters; arms that differ by less may
            be taken for each other.
        multiplier: C.

    Raises:
        GnomonError: if the gap is not a positive number, an arm was not played, or there are no
            more rewards than weights, K d.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> x, arms = rng.normal(size=(400, 2)), np.arange(400) % 2
        >>> r = x[:, 0] * arms + rng.normal(size=400)
        >>> suggest_p(x, arms, r, count=2, gap=0.1), suggest_p(x, arms, r, count=2, gap=0.2)
        (233, 59)
    """
    eigenvalue = smallest_eigenvalue(contexts.T @ contexts / len(contexts))
    noise = residual_noise(contexts, np.asarray(arms), rewards, count=count)
    return Constants(eigenvalue, positive("gap", gap), noise).p(count, multiplier)


def residual_noise(contexts: Floats, arms: Any, rewards: Floats, *, count: int) -> float:
    """Return L from the residuals of a least squares fit for each arm.

    Raises:
        GnomonError: if an arm was not played, or there are no more rewards than weights.
    """
    steps, weights = len(rewards), count * contexts.shape[1]
    if len(np.unique(arms)) < count or steps <= weights:
        raise GnomonError(
            "a weight of exploration needs explored steps of each arm, and more than"
            f" {weights}, one for each weight; not {steps}"
        )
    squares = 0.0
    for arm in range(count):
        own = arms == arm
        fit = contexts[own] @ np.linalg.lstsq(contexts[own], rewards[own])[0]
        squares += float(((rewards[own] - fit) ** 2).sum())
    return sqrt(squares / (steps - weights) / 2)


def running_constants(
    contexts: Floats, arms: Any, rewards: Floats, explored: Any, *, count: int
) -> Constants:
    """Estimate the constants of a run: moments of all contexts, smallest observed gap, residuals.

    On the bandits of ``gnomon experiment bento-epsilon-greedy`` the eigenvalue and the noise are
    within 4 % of the true ones. The gap is not: it is near 0 whenever the estimates of two arms
    cross, and the p that follows from it may be off by many orders of magnitude. For
    :func:`suggest_p` the user states the gap.

    The paper defines them in prose. They describe a finished run: if p changes while
    Algorithm 1 runs, its odds p / t are undefined.

    Args:
        contexts: (T, d).
        arms: arms played, (T).
        rewards: (T); only those of explored steps are read.
        explored: which steps explored, (T), each arm at least once.
        count: number of arms, K.

    Raises:
        GnomonError: if an arm was not explored, no step was exploited, or the explored steps are no
            more than the weights.
    """
    d = contexts.shape[1]
    a, b, n = np.zeros((count, d, d)), np.zeros((count, d)), np.zeros(count)
    theta, gap = np.zeros((count, d)), np.inf
    steps = np.flatnonzero(explored)
    for at, end in zip(steps, [*steps[1:], len(arms)], strict=True):
        arm, x = arms[at], contexts[at]
        a[arm] += np.outer(x, x)
        b[arm] += rewards[at] * x
        n[arm] += 1
        theta[arm] = np.linalg.solve(a[arm] + sqrt(n[arm]) * np.eye(d), b[arm])
        if end > at + 1 and n.all():
            best = np.sort(contexts[at + 1 : end] @ theta.T, axis=1)
            gap = min(gap, float((best[:, -1] - best[:, -2]).min()))
    if not n.all() or not 0 < gap < np.inf:
        raise GnomonError("a gap needs explored steps of each arm, and exploited steps")
    noise = residual_noise(contexts[steps], arms[steps], rewards[steps], count=count)
    moment = contexts.T @ contexts / len(contexts)
    return Constants(smallest_eigenvalue(moment), gap, noise)
