"""Non-negative least squares, and Student's quantiles: what a fit needs and NumPy lacks."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

Array = npt.NDArray[np.float64]

_TOLERANCE = 1e-10


def nonnegative_least_squares(design: Array, values: Array) -> Array:
    """The ``x >= 0`` that minimises ``|design x - values|``.

    Args:
        design: shape (points, parameters).
        values: shape (points,).

    The active-set method of Lawson and Hanson, "Solving Least Squares Problems", 1974, chapter
    23. Columns are scaled to length 1 first, so that their units do not matter. Where columns
    depend on each other the solution is not unique; the one found is deterministic.
    """
    lengths = np.linalg.norm(design, axis=0)
    scaled = design / np.where(lengths > 0, lengths, 1.0)
    count = design.shape[1]
    x = np.zeros(count)
    free = np.zeros(count, dtype=bool)
    limit = _TOLERANCE * max(float(np.linalg.norm(values)), 1e-300)
    for _ in range(3 * count + 3):
        gradient = scaled.T @ (values - scaled @ x)
        gradient[free] = -np.inf
        entering = int(np.argmax(gradient))
        if gradient[entering] <= limit:
            break
        free[entering] = True
        while True:
            trial = np.zeros(count)
            trial[free] = np.linalg.lstsq(scaled[:, free], values, rcond=None)[0]
            negative = free & (trial <= 0)
            if not negative.any():
                break
            steps = x[negative] / np.maximum(x[negative] - trial[negative], 1e-300)
            x += float(steps.min()) * (trial - x)
            free &= x > _TOLERANCE * max(float(x.max()), 1e-300)
            x[~free] = 0.0
            if not free.any():
                trial = np.zeros(count)
                break
        x = trial
    return x / np.where(lengths > 0, lengths, 1.0)


@cache
def student_quantile(probability: float, degrees_of_freedom: int) -> float:
    """The quantile of Student's distribution, by integration and bisection, to 1e-6.

    Raises:
        ValueError: the probability is not in (0.5, 1), or there is no degree of freedom.
    """
    if not 0.5 < probability < 1 or degrees_of_freedom < 1:
        raise ValueError(f"no quantile {probability} with {degrees_of_freedom} degrees of freedom")
    n = degrees_of_freedom
    log_scale = math.lgamma((n + 1) / 2) - math.lgamma(n / 2) - 0.5 * math.log(n * math.pi)

    def angle_density(angle: float) -> float:
        # With t = sqrt(n) tan(angle) the density is a power of a cosine on a finite range.
        return math.cos(angle) ** (n - 1)

    factor = math.exp(log_scale) * math.sqrt(n)

    def below(t: float) -> float:
        return 0.5 + factor * _simpson(angle_density, math.atan(t / math.sqrt(n)))

    low, high = 0.0, 1.0
    while below(high) < probability:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return (low + high) / 2


def _simpson(function: Callable[[float], float], end: float, intervals: int = 400) -> float:
    step = end / intervals
    inner = sum((4 if k % 2 else 2) * function(k * step) for k in range(1, intervals))
    return step / 3 * (function(0.0) + inner + function(end))
