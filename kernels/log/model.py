"""``log``: natural logarithms."""

import math

import numpy as np

from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Reals, Rng, Status, Steps

_LN_2_Q32, _THIRD_Q32 = 2977044472, 1431655765
_RECIPROCALS = np.array([round(2**32 / (1 + (i + 0.5) / 64)) for i in range(64)], dtype=np.int64)
_LOGARITHMS = np.array([round(-math.log(r / 2**32) * 2**32) for r in _RECIPROCALS.tolist()])


def exact(a: Reals) -> Reals:
    return np.log(a)


def generate(fixed: FixedPoint, rng: Rng, length: int) -> Operands:
    return (np.exp2(rng.uniform(0, 31, size=length)).astype(np.int64),)


def log_of(values: Steps, fraction_bits: int) -> Steps:
    """Compute ``fx_log_of``: ln of numbers from 1 step up."""
    bits = np.array([value.bit_length() for value in values.ravel().tolist()], dtype=np.int64)
    bits = bits.reshape(values.shape)
    m = values << (32 - bits)
    index = m >> 25 & 63
    product = m.astype(np.uint64) * _RECIPROCALS[index].astype(np.uint64)
    t = (product - np.uint64(2**63)).astype(np.int64) >> 25
    square = (t * t) >> 32
    third = (((square * t) >> 32) * _THIRD_Q32) >> 32
    small = (t >> 2) - (square >> 9) + (third >> 14)
    total = (bits - 1 - fraction_bits) * _LN_2_Q32 + _LOGARITHMS[index] + (small >> 4)
    return np.asarray((total + (1 << (31 - fraction_bits))) >> (32 - fraction_bits))


def model(fixed: FixedPoint, a: Steps) -> Answer:
    result = np.where(a > 0, log_of(np.maximum(a, 1), fixed.fraction_bits), fx.SMALLEST)
    return result, Status.UNDEFINED if (a <= 0).any() else Status.OK


def error_bound(fixed: FixedPoint, a: Reals) -> Reals:
    return np.array(fixed.step / 2 + 2.0**-27)
