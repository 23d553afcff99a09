"""``invert``: inverse by the factors of ``lu``."""

import numpy as np

from gnomon.content.kernels.common.positive import spread
from gnomon.content.kernels.common.solve import solve_row, solve_status
from gnomon.content.kernels.lu import model as lu_model
from gnomon.content.kernels.lu.model import generate as generate
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Range, Reals, Status, Steps, wide_dot


def exact(a: Reals) -> Reals:
    return np.asarray(np.linalg.inv(a))


def model(fixed: FixedPoint, a: Steps) -> Answer:
    n = len(a)
    lu, status = lu_model.model(fixed, a)
    if status is not Status.OK:
        return lu, status
    inverse = np.zeros_like(a)
    seen, failed = Range(), Status.OK
    for c in range(n):
        x = np.zeros(n, dtype=np.int64)
        x[c] = fixed.one
        for i in range(c + 1, n):
            x[i] = seen.floor(-wide_dot(lu[i, c:i], x[c:i]), fixed)
        for i in reversed(range(n)):
            pivot = int(lu[i, i])
            x[i], status = solve_row(int(x[i]), lu[i, i + 1 :], x[i + 1 :], pivot, fixed)
            failed = max(failed, status)
        seen.see(x)
        status = solve_status(seen, n, failed)
        if status is not Status.OK:
            return np.zeros_like(a), status
        inverse[:, c] = x
    return inverse, Status.OK


def error_bound(fixed: FixedPoint, a: Reals) -> Reals:
    """Bound the errors of the factors and both substitutions, times 1.5 for second order.

    An element of the first substitution has an error of a step, spread by A^-1 L. One of the second
    leaves a remainder of its pivot times a step, spread by U^-1.
    """
    inverse = np.asarray(np.linalg.inv(a), dtype=np.float64)
    lower, upper = lu_model.exact_factors(a)
    of_factors = spread(inverse, lu_model.backward_error(fixed, upper))
    of_first = np.abs(np.linalg.inv(upper)) @ np.abs(np.linalg.inv(lower)).sum(axis=1)
    of_second = np.abs(np.linalg.inv(upper)) @ np.abs(np.diag(upper))
    more = (of_first + of_second)[:, None] * fixed.step
    return np.asarray(1.5 * (of_factors + more))
