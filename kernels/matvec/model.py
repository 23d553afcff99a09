"""``matvec``: a matrix times a vector; numerically a row times a transposed matrix."""

import numpy as np

from gnomon.content.kernels.multiply import model as multiply
from gnomon.measure.kernels.fixed import (
    FixedPoint,
    Operands,
    Reals,
    Rng,
    Steps,
    input_limit,
    uniform,
)
from gnomon.measure.kernels.work import LeastVectorWork


def exact(a: Reals, x: Reals) -> Reals:
    return np.asarray(a @ x)


def generate(fixed: FixedPoint, rng: Rng, rows: int, columns: int) -> Operands:
    limit = input_limit(fixed, columns)
    return uniform(fixed, rng, (rows, columns), limit), uniform(fixed, rng, (columns,), limit)


def wide_floor(fixed: FixedPoint, a: Steps, x: Steps) -> Steps:
    return multiply.wide_floor(fixed, x[None, :], a.T).reshape(-1)


def sum_then_shift(fixed: FixedPoint, a: Steps, x: Steps) -> Steps:
    return multiply.sum_then_shift(fixed, x[None, :], a.T).reshape(-1)


def shifted_bound(fixed: FixedPoint, a: Reals, x: Reals) -> Reals:
    return multiply.shifted_bound(fixed, x[None, :], a.T).reshape(-1)


def vector_work(rows: int, columns: int) -> list[LeastVectorWork]:
    return multiply.dots_work(1, columns, rows)
