"""``scale``: a matrix times a number."""

from __future__ import annotations

import numpy as np

from gnomon.bench.kernels.fixed import (
    FixedPoint,
    Reals,
    Steps,
    input_limit,
    multiply_floor_wrap,
    shifted_product,
    shifted_product_bound,
    uniform,
)
from gnomon.bench.kernels.work import VectorWork


def exact(a: Reals, s: Reals) -> Reals:
    return np.asarray(a * s)


def generate(
    fixed: FixedPoint, rng: np.random.Generator, rows: int, columns: int
) -> tuple[Steps, ...]:
    limit = input_limit(fixed, 1)
    return uniform(fixed, rng, (rows, columns), limit), uniform(fixed, rng, (1,), limit)


def floor(fixed: FixedPoint, a: Steps, s: Steps) -> Steps:
    return multiply_floor_wrap(a, s, fixed)


def shifted(fixed: FixedPoint, a: Steps, s: Steps) -> Steps:
    return shifted_product(a, s, fixed)


def shifted_bound(fixed: FixedPoint, a: Reals, s: Reals) -> Reals:
    return shifted_product_bound(np.abs(a), np.abs(s), fixed)


def vector_work(rows: int, columns: int) -> list[VectorWork]:
    words = rows * columns
    return [VectorWork([(3, "other", words)], words, words)]
