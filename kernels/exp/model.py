"""``exp``: exponentials of numbers of 0 and below."""

import numpy as np

from gnomon.measure.kernels.fixed import (
    Answer,
    FixedPoint,
    Operands,
    Reals,
    Rng,
    Status,
    Steps,
    wrap,
)

_LOG2_E_Q31, _LN_2_Q32, _SIXTH_Q32 = 3098164009, 2977044472, 715827883
_POWERS = np.array([round(2.0 ** (31 - i / 64)) for i in range(64)], dtype=np.int64)

VECTOR_BITS = 15
LOWEST = 16
"""Of the arguments on the vector unit: those below count as -16."""
_DIGITS = ((8, 11), (4, 600), (2, 4435), (1, 12055))
_COEFFICIENTS = (-32756, 16261, -5069, 851)


def exact(a: Reals) -> Reals:
    return np.asarray(np.exp(a))


def generate(fixed: FixedPoint, rng: Rng, length: int) -> Operands:
    """Sample operands with log-uniform magnitudes from 2^-10 to 16."""
    lowest, highest = max(fixed.fraction_bits - 10, 0), min(fixed.fraction_bits + 4, 31)
    return (-np.exp2(rng.uniform(lowest, highest, size=length)).astype(np.int64),)


def _high(a: Steps, b: Steps | int) -> Steps:
    factor = np.asarray(b).astype(np.uint64)
    return ((a.astype(np.uint64) * factor) >> np.uint64(32)).astype(np.int64)


def exp_of_minus(sizes: Steps, fraction_bits: int) -> Steps:
    """Compute ``fx_exp_of_minus``: exp(-size), for sizes from 0 to below 2^32 steps."""
    wide = sizes.astype(np.uint64) * np.uint64(_LOG2_E_Q31) >> np.uint64(fraction_bits - 1)
    right = 31 - fraction_bits + (wide >> np.uint64(32)).astype(np.int64)
    fraction = (wide & np.uint64(0xFFFF_FFFF)).astype(np.int64)
    r = _high((fraction << 6) & 0xFFFF_FFFF, _LN_2_Q32)
    square = _high(r, r)
    sixth = _high(_high(square, r), _SIXTH_Q32)
    less = (r >> 6) - (square >> 13) + (sixth >> 18)
    power = _POWERS[fraction >> 26]
    value = power - _high(power, less)
    shift = np.minimum(right, 31)
    return np.where(right > 31, 0, (value + (1 << shift >> 1)) >> shift)


def _rounded(values: Steps, right: int) -> Steps:
    return wrap(values + (1 << right >> 1)) >> right if right else values


def exp_above_lowest(above: Steps, bits: int) -> Steps:
    """Compute ``fx_exp_above_lowest``: exp(above - 16) for numbers of 0 and more."""
    one = 1 << VECTOR_BITS
    y = np.maximum(wrap((LOWEST << bits) - above), 0)
    product = np.full(y.shape, one, dtype=np.int64)
    for position, (digit, factor) in enumerate(_DIGITS):
        below = y < digit << bits
        y = np.where(below, y, y - (digit << bits))
        taken = np.where(below, one, factor)
        product = taken if position == 0 else _rounded(product * taken, VECTOR_BITS)
    z = y << max(VECTOR_BITS - bits, 0)
    z = _rounded(z, max(bits - VECTOR_BITS, 0))
    term = np.full(z.shape, _COEFFICIENTS[3], dtype=np.int64)
    for coefficient in (*reversed(_COEFFICIENTS[:3]), one):
        term = _rounded(wrap(term * z + (coefficient << VECTOR_BITS)), VECTOR_BITS)
    return _rounded(wrap(product * term), 2 * VECTOR_BITS - bits)


def exp_chunk(values: Steps, bits: int) -> Steps:
    """Compute ``fx_exp_chunk``."""
    return exp_above_lowest(np.maximum(wrap(values + (LOWEST << bits)), 0), bits)


def _status(a: Steps) -> Status:
    return Status.UNDEFINED if (a > 0).any() else Status.OK


def scalar(fixed: FixedPoint, a: Steps) -> Answer:
    return exp_of_minus(np.maximum(-a, 0), fixed.fraction_bits), _status(a)


def vector(fixed: FixedPoint, a: Steps) -> Answer:
    return exp_chunk(a, fixed.fraction_bits), _status(a)


def scalar_bound(fixed: FixedPoint, a: Reals) -> Reals:
    """Return the error bound of one exponential."""
    return np.array(fixed.step / 2 + 2.0**-29)


def vector_bound(fixed: FixedPoint, a: Reals) -> Reals:
    """Return the error bound of one exponential on the vector unit."""
    return np.array(2.0**-13 + fixed.step)
