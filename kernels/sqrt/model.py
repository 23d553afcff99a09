"""``sqrt``: square roots."""

from math import isqrt

import numpy as np

from gnomon.content.kernels.log.model import generate as generate
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Reals, Status, Steps


def exact(a: Reals) -> Reals:
    return np.sqrt(a)


def model(fixed: FixedPoint, a: Steps) -> Answer:
    roots = [isqrt(max(value, 0) << fixed.fraction_bits) for value in a.tolist()]
    return np.array(roots, dtype=np.int64), Status.UNDEFINED if (a < 0).any() else Status.OK
