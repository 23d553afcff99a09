"""``dot``: dot product of two vectors; numerically a product of a row and a column."""

import numpy as np

from gnomon.content.kernels.multiply import model as multiply
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Rng, Steps


def exact(a: Reals, b: Reals) -> Reals:
    return np.array([a @ b])


def generate(fixed: FixedPoint, rng: Rng, length: int) -> Operands:
    limit = fx.input_limit(fixed, length)
    return tuple(fx.uniform(fixed, rng, (length,), limit) for _ in range(2))


def each_toward_zero(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return multiply.each_toward_zero(fixed, a[None, :], b[:, None]).reshape(-1)


def wide_floor(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return multiply.wide_floor(fixed, a[None, :], b[:, None]).reshape(-1)


def sum_then_shift(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return multiply.sum_then_shift(fixed, a[None, :], b[:, None]).reshape(-1)


def shift_each(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    products = fx.product_of_shifted(a, b, fixed) >> fixed.post_shift
    return fx.wrap(np.array([products.sum()]))


def one_step_each(fixed: FixedPoint, a: Reals, b: Reals) -> Reals:
    return np.array(a.size * fixed.step)


def shifted_bound(fixed: FixedPoint, a: Reals, b: Reals) -> Reals:
    return multiply.shifted_bound(fixed, a[None, :], b[:, None]).reshape(-1)


def shift_each_bound(fixed: FixedPoint, a: Reals, b: Reals) -> Reals:
    return np.asarray(shifted_bound(fixed, a, b) + (a.size - 1) * fixed.step)
