"""``scale``: a matrix times a number."""

import numpy as np

from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Rng, Steps
from gnomon.measure.kernels.work import LeastVectorWork


def exact(a: Reals, s: Reals) -> Reals:
    return np.asarray(a * s)


def generate(fixed: FixedPoint, rng: Rng, rows: int, columns: int) -> Operands:
    limit = fx.input_limit(fixed, 1)
    return fx.uniform(fixed, rng, (rows, columns), limit), fx.uniform(fixed, rng, (1,), limit)


def floor(fixed: FixedPoint, a: Steps, s: Steps) -> Steps:
    return fx.multiply_floor_wrap(a, s, fixed)


def shifted(fixed: FixedPoint, a: Steps, s: Steps) -> Steps:
    return fx.shifted_product(a, s, fixed)


def shifted_bound(fixed: FixedPoint, a: Reals, s: Reals) -> Reals:
    return fx.shifted_product_bound(np.abs(a), np.abs(s), fixed)


def vector_work(rows: int, columns: int) -> list[LeastVectorWork]:
    words = rows * columns
    return [LeastVectorWork([(3, "other", words)], words, words)]
