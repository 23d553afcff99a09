"""``sub``: difference of two matrices."""

import numpy as np

from gnomon.content.kernels.add.model import generate as generate
from gnomon.content.kernels.add.model import vector_work as vector_work
from gnomon.measure.kernels.fixed import FixedPoint, Reals, Steps, wrap


def exact(a: Reals, b: Reals) -> Reals:
    return np.asarray(a - b)


def model(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    return wrap(a - b)
