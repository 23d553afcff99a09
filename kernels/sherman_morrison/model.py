"""``sherman-morrison``: inverse of a matrix to which an outer product is added."""

from __future__ import annotations

import numpy as np

from gnomon.bench.kernels.fixed import (
    Answer,
    FixedPoint,
    Range,
    Reals,
    Status,
    Steps,
    multiply_floor_wrap,
    shifted_matmul,
    shifted_product,
    uniform,
    wide_dot,
    wrap,
)
from gnomon.content.kernels.common.divide import (
    divide_by_reciprocal,
    divide_shifted,
    reciprocal,
    vector_reciprocal,
)
from gnomon.content.kernels.common.positive import (
    exact_update,
    inverse_of_positive_definite,
    mirrored,
    rank_one_bound,
    vector_sum_bounds,
)


def exact(a: Reals, x: Reals) -> Reals:
    return exact_update(a, x)


def generate(fixed: FixedPoint, rng: np.random.Generator, n: int) -> tuple[Steps, ...]:
    limit = min(1.0, 2.0 ** (28 - fixed.fraction_bits - fixed.post_shift))
    return inverse_of_positive_definite(fixed, rng, n), uniform(fixed, rng, (n,), limit)


def scalar(fixed: FixedPoint, a: Steps, x: Steps) -> Answer:
    seen = Range()
    seen.see(x)
    v = seen.floor(wide_dot(a, x), fixed)
    denominator = int(seen.floor(wide_dot(x, v) + (1 << 2 * fixed.fraction_bits), fixed))
    status = seen.status(x.size)
    if status is Status.OK and denominator <= 0:
        status = Status.SINGULAR
    if status is not Status.OK:
        return a, status
    w = divide_by_reciprocal(v, reciprocal(denominator, fixed), seen)
    if seen.lost:
        return a, Status.OVERFLOW
    return mirrored(wrap(a - multiply_floor_wrap(w[:, None], v[None, :], fixed))), Status.OK


def vector(fixed: FixedPoint, a: Steps, x: Steps) -> Answer:
    v = shifted_matmul(x[None, :], a.T, fixed)[0]
    total = shifted_matmul(x[None, :], v[:, None], fixed)[0, 0]
    denominator = int(wrap(total + fixed.one))
    if denominator <= 0:
        return a, Status.SINGULAR
    inverse, status = vector_reciprocal(denominator, fixed)
    if status is not Status.OK:
        return a, status
    w = divide_shifted(v, inverse, fixed)
    return wrap(a - shifted_product(w[:, None], v[None, :], fixed)), Status.OK


def scalar_bound(fixed: FixedPoint, a: Reals, x: Reals) -> Reals:
    v = np.abs(a @ x)
    of_v = np.full(x.size, fixed.step)
    of_sum = (float(np.abs(x).sum()) + 1) * fixed.step
    bound = rank_one_bound(fixed, v, 1 + float(x @ a @ x), of_v, of_sum, vector=False)
    return np.maximum(bound, bound.T)


def vector_bound(fixed: FixedPoint, a: Reals, x: Reals) -> Reals:
    of_v, of_sum = vector_sum_bounds(fixed, a, x)
    return rank_one_bound(fixed, np.abs(a @ x), 1 + float(x @ a @ x), of_v, of_sum, vector=True)
