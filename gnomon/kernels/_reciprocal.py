"""Division of many numbers by the same one, bit for bit as ``kernels/fx_divide.h``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.kernels._fixed import wrap

if TYPE_CHECKING:
    from gnomon.kernels._fixed import FixedPoint, Steps
    from gnomon.kernels._wide import Range

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
