"""``sherman-morrison``: inverse of a matrix to which an outer product is added."""

import numpy as np

from gnomon.content.kernels.common import divide as division
from gnomon.content.kernels.common import positive
from gnomon.content.kernels.common.positive import exact as exact
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Reals, Rng, Status, Steps


def generate(fixed: FixedPoint, rng: Rng, n: int) -> Operands:
    limit = min(1.0, 2.0 ** (28 - fixed.fraction_bits - fixed.post_shift))
    return positive.inverse_of_positive_definite(fixed, rng, n), fx.uniform(fixed, rng, (n,), limit)


def scalar(fixed: FixedPoint, a: Steps, x: Steps) -> Answer:
    seen = fx.Range()
    seen.see(x)
    v = seen.floor(fx.wide_dot(a, x), fixed)
    denominator = int(seen.floor(fx.wide_dot(x, v) + (1 << 2 * fixed.fraction_bits), fixed))
    status = seen.status(x.size)
    if status is Status.OK and denominator <= 0:
        status = Status.SINGULAR
    if status is not Status.OK:
        return a, status
    w = division.divide_by_reciprocal(v, division.reciprocal(denominator, fixed), seen)
    if seen.lost:
        return a, Status.OVERFLOW
    return positive.mirrored(
        fx.wrap(a - fx.multiply_floor_wrap(w[:, None], v[None, :], fixed))
    ), Status.OK


def vector(fixed: FixedPoint, a: Steps, x: Steps) -> Answer:
    v = fx.shifted_matmul(x[None, :], a.T, fixed)[0]
    total = fx.shifted_matmul(x[None, :], v[:, None], fixed)[0, 0]
    denominator = int(fx.wrap(total + fixed.one))
    if denominator <= 0:
        return a, Status.SINGULAR
    inverse, status = division.vector_reciprocal(denominator, fixed)
    if status is not Status.OK:
        return a, status
    w = division.divide_shifted(v, inverse, fixed)
    return fx.wrap(a - fx.shifted_product(w[:, None], v[None, :], fixed)), Status.OK


def scalar_bound(fixed: FixedPoint, a: Reals, x: Reals) -> Reals:
    v = np.abs(a @ x)
    of_v = np.full(x.size, fixed.step)
    of_sum = (float(np.abs(x).sum()) + 1) * fixed.step
    bound = positive.rank_one_bound(fixed, v, 1 + float(x @ a @ x), of_v, of_sum, vector=False)
    return np.maximum(bound, bound.T)


def vector_bound(fixed: FixedPoint, a: Reals, x: Reals) -> Reals:
    of_v, of_sum = positive.vector_sum_bounds(fixed, a, x)
    return positive.rank_one_bound(
        fixed, np.abs(a @ x), 1 + float(x @ a @ x), of_v, of_sum, vector=True
    )
