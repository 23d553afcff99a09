"""``multiply-transposed``: a product in which both operands are read by rows."""

import numpy as np

from gnomon.content.kernels.multiply import model as multiply
from gnomon.content.kernels.multiply.model import dots_work as dots_work
from gnomon.measure.kernels.fixed import (
    FixedPoint,
    Operands,
    Reals,
    Rng,
    Steps,
    input_limit,
    uniform,
)


def exact(a: Reals, b: Reals) -> Reals:
    return np.asarray(a @ b.T)


def generate(fixed: FixedPoint, rng: Rng, rows: int, inner: int, columns: int) -> Operands:
    limit = input_limit(fixed, inner)
    return uniform(fixed, rng, (rows, inner), limit), uniform(fixed, rng, (columns, inner), limit)


def wide_floor(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return multiply.wide_floor(fixed, a, b.T)


def sum_then_shift(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return multiply.sum_then_shift(fixed, a, b.T)


def shifted_bound(fixed: FixedPoint, a: Reals, b: Reals) -> Reals:
    return multiply.shifted_bound(fixed, a, b.T)
