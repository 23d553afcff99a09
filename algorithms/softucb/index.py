"""One round of SoftUCB as formulas, equations (7) to (15), over any leading axes.

Arms are the last axis. ``means`` are x_i^T theta_hat, ``norms`` are n_i = sqrt(x_i^T V^-1 x_i).
With m the largest lower bound, S_i = UCB_i - m: the paper's phi and Delta cancel, so the softmax of
gamma S is that of gamma UCB.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon.learn.kernels import Floats

EmptyRule: TypeAlias = Literal["one", "zero"]
"""What an empty set L counts as in equation (9): one arm, or gamma = 0."""

LEAST_GAP = 1e-9
"""Below this S_max counts as this much, so that gamma stays finite."""

LARGEST_GAMMA = 1e9

DELTA_SOFT = 0.99
"""Share of the draws that arms outside L shall have, Lemma 2."""

DELTA_CONF = 0.1
"""Probability that the width of equation (5) is too small."""

LEAST_BETA = 1e-3
"""Smallest width that training and the online learner move to."""


@dataclass(frozen=True, slots=True)
class Index:
    """Values that a round computes before it samples its arm."""

    upper: Floats  # UCB_i
    suboptimal: Any  # L, the arms whose upper bound is below the largest lower bound
    largest_gap: Floats  # S_max, the largest UCB less the largest lower bound


def index(means: Floats, norms: Floats, beta: Floats | float) -> Index:
    """Compute equation (7) for all arms; ``beta`` has the leading axes."""
    width = np.asarray(beta)[..., None] * norms
    upper = means + width
    best_lower = (means - width).max(axis=-1)
    return Index(
        upper=upper,
        suboptimal=upper < best_lower[..., None],
        largest_gap=np.asarray(upper.max(axis=-1) - best_lower),
    )


def weights(upper: Floats, gamma: Floats | float) -> Floats:
    """Compute equation (8), not divided by its sum: 1 for the largest index."""
    top = upper.max(axis=-1, keepdims=True)
    return np.asarray(np.exp(np.asarray(gamma)[..., None] * (upper - top)))


def draw(weights_of_arms: Floats, uniform: Floats | float) -> Any:
    """Return the first arm whose cumulative weight exceeds ``uniform`` times the total."""
    sums = weights_of_arms.cumsum(axis=-1)
    mark = np.asarray(uniform)[..., None] * sums[..., -1:]
    return np.minimum((sums <= mark).sum(axis=-1), sums.shape[-1] - 1)


def next_gamma(of: Index, delta_soft: float, empty: EmptyRule = "one") -> Floats:
    """Compute equation (9), clipped to 0 and ``LARGEST_GAMMA``.

    The paper's formula is not defined for an empty L; its prose then says 0 (``zero``), which can
    play uniformly for ever.
    """
    count = of.suboptimal.sum(axis=-1)
    odds = delta_soft / (1.0 - delta_soft)
    gamma = np.log(odds * np.maximum(count, 1)) / np.maximum(of.largest_gap, LEAST_GAP)
    gamma = np.clip(gamma, 0.0, LARGEST_GAMMA)
    return np.asarray(np.where(count == 0, 0.0, gamma) if empty == "zero" else gamma)


def covariance_term(means: Floats, norms: Floats, of_arms: Floats, gamma: Floats) -> Floats:
    """Compute gamma Cov_pi(mu_hat, n): the derivative of the expected reward by beta.

    gamma, mu_hat and i* are taken as constant, as the paper does. ``of_arms`` are ``weights``.
    """
    total = of_arms.sum(axis=-1)
    mean = (of_arms * means).sum(axis=-1) / total
    norm = (of_arms * norms).sum(axis=-1) / total
    both = (of_arms * means * norms).sum(axis=-1) / total
    return np.asarray(gamma * (both - mean * norm))


def confidence_width(dimensions: int, rounds: int, *, subgaussian: float) -> float:
    """Compute (5): R sqrt(2 ln(1 / delta) + d ln(1 + T / d)) + sqrt(alpha) C, alpha C^2 = 1.

    Args:
        dimensions: d.
        rounds: T.
        subgaussian: R of the noise.
    """
    grown = dimensions * math.log(1.0 + rounds / dimensions)
    return subgaussian * math.sqrt(2.0 * math.log(1.0 / DELTA_CONF) + grown) + 1.0


def regret_bound(width: float, dimensions: int, rounds: int) -> float:
    """Compute theorem 1 for alpha = 1: 4 sqrt(2) beta delta sqrt(T d ln(1 + T / d))."""
    inside = rounds * dimensions * math.log(1.0 + rounds / dimensions)
    return float(4.0 * np.sqrt(2.0) * width * DELTA_SOFT * math.sqrt(inside))
