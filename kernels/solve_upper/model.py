"""``solve-upper``: backward substitution."""

import numpy as np

from gnomon.content.kernels.solve_lower.model import generate as generate
from gnomon.content.kernels.solve_lower.model import substitute, triangle_bound
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Reals, Steps


def exact(upper: Reals, b: Reals) -> Reals:
    return np.asarray(np.linalg.solve(np.triu(upper), b))


def model(fixed: FixedPoint, upper: Steps, b: Steps) -> Answer:
    return substitute(fixed, upper, b, lower=False)


def error_bound(fixed: FixedPoint, upper: Reals, b: Reals) -> Reals:
    return triangle_bound(fixed, np.triu(upper))
