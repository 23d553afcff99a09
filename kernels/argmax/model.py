"""``argmax``: index of the largest number."""

import numpy as np

from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Rng, Steps, any_words


def exact(a: Reals) -> Reals:
    return np.array([np.argmax(a)], dtype=np.float64)


def generate(fixed: FixedPoint, rng: Rng, length: int) -> Operands:
    return (any_words(rng, (length,)),)


def model(fixed: FixedPoint, a: Steps) -> Steps:
    return np.array([np.argmax(a)], dtype=np.int64)
