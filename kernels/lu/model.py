"""``lu``: factors by Doolittle's method, no pivoting."""

import numpy as np

from gnomon.content.kernels.common.positive import positive_definite
from gnomon.content.kernels.common.solve import pivot_error, solve_row, solve_status
from gnomon.measure.kernels import fixed as fx


def exact_factors(a: fx.Reals) -> tuple[fx.Reals, fx.Reals]:
    n = len(a)
    lower, upper = np.eye(n), a.copy()
    for k in range(n):
        lower[k + 1 :, k] = upper[k + 1 :, k] / upper[k, k]
        upper[k + 1 :] -= np.outer(lower[k + 1 :, k], upper[k])
    return lower, np.asarray(np.triu(upper))


def exact(a: fx.Reals) -> fx.Reals:
    lower, upper = exact_factors(a)
    return np.asarray(np.tril(lower, -1) + upper)


def generate(fixed: fx.FixedPoint, rng: fx.Rng, n: int) -> fx.Operands:
    return (positive_definite(fixed, rng, n),)


def model(fixed: fx.FixedPoint, a: fx.Steps) -> fx.Answer:
    n = len(a)
    lu = np.zeros_like(a)
    seen, failed = fx.Range(), fx.Status.OK
    for i in range(n):
        for j in range(i):
            value, status = solve_row(int(a[i, j]), lu[i, :j], lu[:j, j], int(lu[j, j]), fixed)
            lu[i, j] = value
            failed = max(failed, status)
        seen.see(lu[i, :i])
        total = (a[i, i:] << fixed.fraction_bits) - fx.wide_dot(lu[i, :i], lu[:i, i:])
        lu[i, i:] = seen.floor(total, fixed)
        status = solve_status(seen, n, failed)
        pivot = int(lu[i, i])
        if (~pivot if pivot < 0 else pivot) <= pivot_error(lu[:i, i], fixed):
            status = fx.Status.SINGULAR
        if status is not fx.Status.OK:
            return np.zeros_like(a), status
    return lu, fx.Status.OK


def backward_error(fixed: fx.FixedPoint, upper: fx.Reals) -> fx.Reals:
    """Return the backward error: the computed factors are exact for a matrix within this bound.

    The error of an element of u is a step; that of l is a step, which its pivot multiplies.
    """
    below = np.tril(np.ones_like(upper), -1)
    return np.asarray((1 - below + below * np.diag(upper)[None, :]) * fixed.step)


def error_bound(fixed: fx.FixedPoint, a: fx.Reals) -> fx.Reals:
    """Bound the first-order perturbation of the factors, times 1.5 for higher orders."""
    lower, upper = exact_factors(a)
    inner = np.abs(np.linalg.inv(lower)) @ backward_error(fixed, upper)
    inner = inner @ np.abs(np.linalg.inv(upper))
    of_lower = np.tril(np.abs(lower) @ np.tril(inner, -1), -1)
    of_upper = np.triu(np.triu(inner) @ np.abs(upper))
    return np.asarray(1.5 * (of_lower + of_upper) + fixed.step)
