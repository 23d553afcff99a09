"""``transpose``: rows become columns."""

from __future__ import annotations

import numpy as np

from gnomon.bench.kernels.fixed import FixedPoint, Reals, Steps, any_words


def exact(a: Reals) -> Reals:
    return a.T


def generate(
    fixed: FixedPoint, rng: np.random.Generator, rows: int, columns: int
) -> tuple[Steps, ...]:
    return (any_words(rng, (rows, columns)),)


def model(fixed: FixedPoint, a: Steps) -> Steps:
    return a.T
