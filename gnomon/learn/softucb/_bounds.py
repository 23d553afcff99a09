"""Confidence widths and regret bounds of Yang and Toni, Differentiable Linear Bandit Algorithm."""

from __future__ import annotations

import math

import numpy as np


def confidence_width(
    dimensions: int,
    rounds: int,
    *,
    subgaussian: float,
    delta_conf: float = 0.1,
    alpha: float = 1.0,
    largest_theta: float = 1.0,
) -> float:
    """Equation (5): R sqrt(2 ln(1 / delta) + d ln(1 + T / d)) + sqrt(alpha) C.

    Args:
        dimensions: d.
        rounds: T.
        subgaussian: R, of the noise.
        delta_conf: probability that the width is too small.
        alpha: of the ridge regression.
        largest_theta: C, bound of the norm of theta.
    """
    grown = dimensions * math.log(1.0 + rounds / dimensions)
    inner = 2.0 * math.log(1.0 / delta_conf) + grown
    return subgaussian * math.sqrt(inner) + math.sqrt(alpha) * largest_theta


def regret_bound(
    width: float, dimensions: int, rounds: int, *, delta_soft: float = 0.99, alpha: float = 1.0
) -> float:
    """Theorem 1: 4 sqrt(2) beta delta sqrt(T d ln(1 + T / (d alpha))).

    The paper prints ln(alpha + T / d), which is the same for alpha = 1.
    """
    inside = rounds * dimensions * math.log(1.0 + rounds / (dimensions * alpha))
    return float(4.0 * np.sqrt(2.0) * width * delta_soft * math.sqrt(inside))
