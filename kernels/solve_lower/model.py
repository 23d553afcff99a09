"""``solve-lower``: forward substitution; ``solve-upper`` uses the same functions."""

import numpy as np

from gnomon.content.kernels.common.solve import solve_row, solve_status
from gnomon.measure.kernels import fixed as fx


def exact(lower: fx.Reals, b: fx.Reals) -> fx.Reals:
    return np.asarray(np.linalg.solve(np.tril(lower), b))


def generate(fixed: fx.FixedPoint, rng: fx.Rng, n: int) -> fx.Operands:
    matrix = fx.uniform(fixed, rng, (n, n), 1 / n)
    matrix[np.arange(n), np.arange(n)] = fixed.one + fx.uniform(fixed, rng, (n,), 0.25)
    return matrix, fx.uniform(fixed, rng, (n,), min(16, 2.0 ** (28 - fixed.fraction_bits) / n))


def substitute(fixed: fx.FixedPoint, matrix: fx.Steps, b: fx.Steps, *, lower: bool) -> fx.Answer:
    """Solve by forward (``lower``) or backward substitution."""
    n = b.size
    x = np.zeros(n, dtype=np.int64)
    seen, failed = fx.Range(), fx.Status.OK
    for i in range(n) if lower else reversed(range(n)):
        part = slice(0, i) if lower else slice(i + 1, n)
        pivot = int(matrix[i, i])
        x[i], status = solve_row(int(b[i]), matrix[i, part], x[part], pivot, fixed)
        failed = max(failed, status)
        seen.see(x[i : i + 1])
    status = solve_status(seen, n, failed)
    return (x, status) if status is fx.Status.OK else (np.zeros_like(x), status)


def model(fixed: fx.FixedPoint, lower: fx.Steps, b: fx.Steps) -> fx.Answer:
    return substitute(fixed, lower, b, lower=True)


def triangle_bound(fixed: fx.FixedPoint, triangle: fx.Reals) -> fx.Reals:
    """Bound x: each element leaves a remainder below its pivot times one step in its equation."""
    return np.asarray(np.abs(np.linalg.inv(triangle)) @ np.abs(np.diag(triangle)) * fixed.step)


def error_bound(fixed: fx.FixedPoint, lower: fx.Reals, b: fx.Reals) -> fx.Reals:
    return triangle_bound(fixed, np.tril(lower))
