"""``add``: sum of two matrices."""

import numpy as np

from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Rng, Steps, uniform, wrap
from gnomon.measure.kernels.work import LeastVectorWork


def exact(a: Reals, b: Reals) -> Reals:
    return np.asarray(a + b)


def generate(fixed: FixedPoint, rng: Rng, rows: int, columns: int) -> Operands:
    limit = 2.0 ** (30 - fixed.fraction_bits)
    return tuple(uniform(fixed, rng, (rows, columns), limit) for _ in range(2))


def model(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return wrap(a + b)


def vector_work(rows: int, columns: int) -> list[LeastVectorWork]:
    words = rows * columns
    return [LeastVectorWork([(1, "other", words)], 2 * words, words)]
