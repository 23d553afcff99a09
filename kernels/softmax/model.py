"""``softmax``: exponentials divided by their sum."""

import numpy as np

from gnomon.content.kernels.common.divide import divide_by_reciprocal, reciprocal
from gnomon.content.kernels.exp import model as exp
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Reals, Rng, Status, Steps


def exact(a: Reals) -> Reals:
    values = np.exp(a - a.max())
    return np.asarray(values / values.sum())


def generate(fixed: FixedPoint, rng: Rng, length: int) -> Operands:
    return (fx.uniform(fixed, rng, (length,), min(8.0, 2.0 ** (30 - fixed.fraction_bits))),)


def scalar(fixed: FixedPoint, a: Steps) -> Answer:
    values = exp.exp_of_minus(a.max() - a, fixed.fraction_bits)
    total = int(values.sum())
    if total >> 31:
        return np.zeros_like(a), Status.OVERFLOW
    return divide_by_reciprocal(values, reciprocal(total, fixed), fx.Range()), Status.OK


def vector(fixed: FixedPoint, a: Steps) -> Answer:
    bits = fixed.fraction_bits
    lowest = int(a.max()) - (exp.LOWEST << bits)
    above = np.where(a < max(lowest, -(2**31)), 0, fx.wrap(a - lowest))
    values = exp.exp_above_lowest(above, bits)
    total = int(values.sum())
    if total >> 31:
        return np.zeros_like(a), Status.OVERFLOW
    zeros, dropped = 32 - total.bit_length(), max(bits - exp.VECTOR_BITS, 0)
    factor = (2 ** (2 * exp.VECTOR_BITS) - 1) // ((total << zeros) >> 16)
    return ((values >> dropped) * factor) >> min(46 - bits - zeros - dropped, 31), Status.OK


def _quotient_bound(of_softmax: Reals, of_each: Reals) -> Reals:
    """Bound e / S if every exponential has the error ``of_each`` but the largest, which is 1."""
    return np.asarray(of_each + of_softmax * (of_softmax.size - 1) * of_each)


def scalar_bound(fixed: FixedPoint, a: Reals) -> Reals:
    before = _quotient_bound(exact(a), exp.scalar_bound(fixed, a))
    return np.asarray(before + fixed.step + 2.0**-29)


def vector_bound(fixed: FixedPoint, a: Reals) -> Reals:
    """Bound: relative error of the factor below 2^-13, loss of an exponential below 2^-15."""
    chances = exact(a)
    before = _quotient_bound(chances, exp.vector_bound(fixed, a))
    return np.asarray(before + (chances + before) * 2.0**-13 + 2.0**-exp.VECTOR_BITS + fixed.step)
