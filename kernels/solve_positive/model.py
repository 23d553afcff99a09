"""``solve-positive``: one system of equations with a positive definite matrix."""

import numpy as np

from gnomon.content.kernels.common.divide import divide_by_reciprocal
from gnomon.content.kernels.common.positive import positive_definite
from gnomon.content.kernels.common.solve import factor_ldl, real_ldl
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Reals, Rng, Status, Steps


def exact(a: Reals, b: Reals) -> Reals:
    return np.asarray(np.linalg.solve(a, b))


def generate(fixed: FixedPoint, rng: Rng, n: int) -> Operands:
    limit = min(16.0, 2.0 ** (28 - fixed.fraction_bits))
    return positive_definite(fixed, rng, n), fx.uniform(fixed, rng, (n,), limit)


def model(fixed: FixedPoint, a: Steps, b: Steps) -> Answer:
    n = len(a)
    lower, inverse, status = factor_ldl(fixed, a)
    if status is not Status.OK:
        return np.zeros_like(b), status
    seen = fx.Range()
    x = np.zeros_like(b)
    for i in range(n):
        total = (b[i] << fixed.fraction_bits) - fx.wide_dot(lower[i, :i], x[:i])
        x[i] = seen.floor(total, fixed)
    for i in reversed(range(n)):
        quotient = divide_by_reciprocal(x[i : i + 1], inverse[i], seen)[0]
        total = (quotient << fixed.fraction_bits) - fx.wide_dot(lower[i + 1 :, i], x[i + 1 :])
        x[i] = seen.floor(total, fixed)
    if seen.lost:
        return np.zeros_like(b), Status.OVERFLOW
    return x, Status.OK


def error_bound(fixed: FixedPoint, a: Reals, b: Reals) -> Reals:
    """Bound the first-order error of all stages, times 1.5 for higher orders; unit: a step.

    The factors are those of a matrix with the error ``change``, spread by A^-1 and x. An element
    of the forward substitution has an error of one, spread by A^-1 L; a quotient and an element of
    the backward one have an error of three, spread by L^-T.
    """
    a = np.tril(a) + np.tril(a, -1).T
    inverse = np.abs(np.linalg.inv(a))
    lower, pivots, change = real_ldl(a)
    of_factors = inverse @ change @ np.abs(np.linalg.solve(a, b))
    back = np.abs(np.linalg.inv(lower)).T
    of_forward = back @ (1.0 / pivots)
    of_backward = 3 * back.sum(axis=1)
    return np.asarray((1.5 * (of_factors + of_forward + of_backward) + 1) * fixed.step)
