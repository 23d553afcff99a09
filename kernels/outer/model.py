"""``outer``: rank-1 update of a matrix."""

import numpy as np

from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Rng, Steps
from gnomon.measure.kernels.work import LeastVectorWork


def exact(a: Reals, x: Reals, y: Reals, s: Reals) -> Reals:
    return np.asarray(a + s * x[:, None] * y[None, :])


def generate(fixed: FixedPoint, rng: Rng, rows: int, columns: int) -> Operands:
    limit = fx.input_limit(fixed, 1) / 2
    a = fx.uniform(fixed, rng, (rows, columns), 2.0 ** (29 - fixed.fraction_bits))
    x, y = fx.uniform(fixed, rng, (rows,), limit), fx.uniform(fixed, rng, (columns,), limit)
    return a, x, y, fx.uniform(fixed, rng, (1,), min(1.0, limit))


def floor(fixed: FixedPoint, a: Steps, x: Steps, y: Steps, s: Steps) -> Steps:
    weights = fx.multiply_floor_wrap(x, s, fixed)
    return fx.wrap(a + fx.multiply_floor_wrap(weights[:, None], y[None, :], fixed))


def floor_bound(fixed: FixedPoint, a: Reals, x: Reals, y: Reals, s: Reals) -> Reals:
    return np.asarray((np.abs(y)[None, :] + 1) * fixed.step)


def shifted(fixed: FixedPoint, a: Steps, x: Steps, y: Steps, s: Steps) -> Steps:
    weights = fx.shifted_product(x, s, fixed)
    return fx.wrap(a + fx.shifted_product(weights[:, None], y[None, :], fixed))


def shifted_bound(fixed: FixedPoint, a: Reals, x: Reals, y: Reals, s: Reals) -> Reals:
    x, y, s = np.abs(x), np.abs(y), np.abs(s)
    of_weights = fx.shifted_product_bound(x, s, fixed)[:, None]
    weights = (x * s)[:, None] + of_weights
    return np.asarray(of_weights * y + fx.shifted_product_bound(weights, y[None, :], fixed))


def vector_work(rows: int, columns: int) -> list[LeastVectorWork]:
    whole = rows * columns
    words = [(rows, "other", columns), (2, "other", whole), (4, "other", rows)]
    return [LeastVectorWork([*words, (1, "other", columns)], whole + rows + columns, whole)]
