"""``divide``: quotients."""

import numpy as np

from gnomon.content.kernels.common.divide import divide_wide
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Reals, Rng, Status, Steps


def exact(a: Reals, b: Reals) -> Reals:
    return np.asarray(a / b)


def generate(fixed: FixedPoint, rng: Rng, length: int) -> Operands:
    """Sample divisors with log-uniform magnitudes from 2^-4 up, and quotients in range."""
    a = fx.uniform(fixed, rng, (length,), 2.0 ** (31 - fixed.fraction_bits) / 32)
    lowest = max(fixed.fraction_bits - 4, 1)
    sizes = np.exp2(rng.uniform(lowest, 31, size=length)).astype(np.int64)
    return a, sizes * rng.choice(np.array([-1, 1]), size=length)


def model(fixed: FixedPoint, a: Steps, b: Steps) -> Answer:
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    each = [divide_wide(x << fixed.fraction_bits, y) for x, y in pairs]
    quotients = np.array([quotient for quotient, _ in each], dtype=np.int64)
    return quotients, max((status for _, status in each), default=Status.OK)
