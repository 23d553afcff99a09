"""Weight of exploration estimated from a run, section 4.2 of the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats
from gnomon.learn.settings import positive

from .learner import SMALLEST_EIGENVALUE


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


def running_constants(
    contexts: Floats, arms: Any, rewards: Floats, explored: Any, *, count: int
) -> Constants:
    """Estimate the constants of a run: moments of all contexts, smallest observed gap, residuals.

    On the bandits of ``gnomon experiment bento-epsilon-greedy`` the eigenvalue and the noise are
    within 4 % of the true ones. The gap is not: it is near 0 whenever the estimates of two arms
    cross, and the p that follows from it may be off by many orders of magnitude. See
    :func:`suggest_p` for an alternative.

    The paper defines them in prose. They describe a finished run: if p changes while
    Algorithm 1 runs, its odds p / t are undefined.

    Args:
        contexts: (T, d).
        arms: arms played, (T).
        rewards: (T); only those of explored steps are read.
        explored: which steps explored, (T), each arm at least once.
        count: number of arms, K.

    Raises:
        GnomonError: if an arm was not explored, or no step was exploited.
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
        raise GnomonError("a weight of exploration needs explored steps of each arm, and others")
    squares = 0.0
    for arm in range(count):
        own = steps[arms[steps] == arm]
        fit = contexts[own] @ np.linalg.lstsq(contexts[own], rewards[own])[0]
        squares += float(((rewards[own] - fit) ** 2).sum())
    variance = squares / max(len(steps) - count * d, 1)
    moment = contexts.T @ contexts / len(contexts)
    return Constants(smallest_eigenvalue(moment), gap, sqrt(variance / 2))


def suggest_p(found: Constants, arms: int, *, gap: float, multiplier: float = 1.0) -> int:
    """Return the p of condition (4) from a run, with a gap that the user states.

    Args:
        found: constants of a run, :func:`running_constants`; its gap is not used.
        arms: K.
        gap: the least difference of expected rewards that matters; arms that differ by less may
            be taken for each other.
        multiplier: C, which the paper does not state.

    Raises:
        GnomonError: if the gap is not a positive number.
    """
    return replace(found, gap=positive("gap", gap)).p(arms, multiplier)
