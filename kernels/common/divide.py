"""Division, bit for bit as ``fx_divide.h`` and ``fx_vector_reciprocal.h``."""

import numpy as np

from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import FixedPoint, Range, Reals, Status, Steps

Reciprocal = tuple[int, int]
"""A factor of 31 bits, and the right shift of its products."""

_FACTOR_BITS = 14  # bits of a factor of the vector unit


def divide_wide(numerator: int, divisor: int) -> tuple[int, Status]:
    """Compute ``fx_divide_wide``: quotient rounded towards zero, or nearest number and status."""
    if divisor == 0:
        nearest = (numerator > 0) * fx.LARGEST + (numerator < 0) * fx.SMALLEST
        return nearest, Status.UNDEFINED
    size = abs(numerator) // abs(divisor)
    quotient = -size if (numerator < 0) != (divisor < 0) else size
    nearest = min(max(quotient, fx.SMALLEST), fx.LARGEST)
    return nearest, Status.OK if nearest == quotient else Status.OVERFLOW


def reciprocal(divisor: int, fixed: FixedPoint) -> Reciprocal:
    """Compute ``fx_reciprocal``; the divisor must be above 0."""
    zeros = 32 - divisor.bit_length()
    return (2**62 - 1) // (divisor << zeros), 62 - zeros - fixed.fraction_bits


def divide_by_reciprocal(values: Steps, divisor: Reciprocal, seen: Range) -> Steps:
    """Compute ``fx_divide_by_reciprocal``."""
    factor, shift = divisor
    return seen.note((values * factor) >> shift)


def vector_reciprocal(divisor: int, fixed: FixedPoint) -> tuple[Reciprocal, Status]:
    """Compute ``fx_vector_reciprocal``; the divisor must be above 0."""
    zeros = 32 - divisor.bit_length()
    factor = (2 ** (15 + _FACTOR_BITS) - 1) // ((divisor << zeros) >> 16)
    shift = 31 + _FACTOR_BITS - zeros - fixed.fraction_bits - fixed.pre_shift_a
    return (factor, min(shift, 31)), Status.OVERFLOW if shift < 0 else Status.OK


def divide_shifted(values: Steps, divisor: Reciprocal, fixed: FixedPoint) -> Steps:
    """Divide a vector by one number as the vector unit does."""
    factor, shift = divisor
    return fx.wrap((values >> fixed.pre_shift_a) * factor) >> shift


def divide_shifted_bound(values: Reals, divisor: float, fixed: FixedPoint) -> Reals:
    """Return the error bound of ``divide_shifted`` for numbers of these magnitudes."""
    size = (values + fixed.lost_a) / divisor
    return np.asarray(size * 2.0 ** (2 - _FACTOR_BITS) + fixed.lost_a / divisor + fixed.step)
