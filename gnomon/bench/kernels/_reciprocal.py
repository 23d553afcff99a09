"""Division of many numbers by the same one, bit for bit as ``kernels/fx_divide.h``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._fixed import wrap
from gnomon.bench.kernels._kernel import Status

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps
    from gnomon.bench.kernels._wide import Range

Reciprocal = tuple[int, int]
"""A factor of 31 bits, and the right shift of its products."""


def reciprocal(divisor: int, fixed: FixedPoint) -> Reciprocal:
    """``fx_reciprocal``; the divisor must be above 0."""
    zeros = 32 - divisor.bit_length()
    return (2**62 - 1) // (divisor << zeros), 62 - zeros - fixed.fraction_bits


def divide_by_reciprocal(values: Steps, divisor: Reciprocal, seen: Range) -> Steps:
    """``fx_divide_by_reciprocal``."""
    factor, shift = divisor
    wide = (values * factor) >> shift
    quotients = wrap(wide)
    seen.note(wide, quotients)
    return quotients


_FACTOR_BITS = 14


def vector_reciprocal(divisor: int, fixed: FixedPoint) -> tuple[Reciprocal, Status]:
    """``fx_vector_reciprocal``; the divisor must be above 0."""
    zeros = 32 - divisor.bit_length()
    factor = (2 ** (15 + _FACTOR_BITS) - 1) // ((divisor << zeros) >> 16)
    shift = 31 + _FACTOR_BITS - zeros - fixed.fraction_bits - fixed.pre_shift_a
    return (factor, min(shift, 31)), Status.OVERFLOW if shift < 0 else Status.OK


def divide_shifted(values: Steps, divisor: Reciprocal, fixed: FixedPoint) -> Steps:
    """A vector divided by one number on the vector unit."""
    factor, shift = divisor
    return wrap((values >> fixed.pre_shift_a) * factor) >> shift


def divide_shifted_bound(fixed: FixedPoint, values: Reals, divisor: float) -> Reals:
    """How far these quotients can be off, for numbers of these sizes."""
    lost = fixed.step * 2**fixed.pre_shift_a
    size = (values + lost) / divisor
    return np.asarray(size * 2.0 ** (2 - _FACTOR_BITS) + lost / divisor + fixed.step)
