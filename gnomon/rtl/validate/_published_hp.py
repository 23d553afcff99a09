"""Variant HP of the group's divider as its code was published, defect included.

When the computed shift is 0 and the first compare fails, it produces two quotient bits and counts
one. So it is no choice for a machine; it is here because its timing was measured, and to show
that the defect is understood. Source: klessydra/KPrim 4d696737, simulated.
"""

from __future__ import annotations

from typing import NamedTuple

_LIMIT = 128  # steps after which the counter has passed 32 for good
_M31 = 2**31 - 1
_M32 = 2**32 - 1
_M64 = 2**64 - 1


class PublishedDivision(NamedTuple):
    """What the published code does with one pair of operands."""

    engine_cycles: int
    quotient: int
    remainder: int


def published_high_performance(dividend: int, divisor: int) -> PublishedDivision | None:
    """Divide two unsigned 32-bit words as the published code; None if it never ends."""
    register = dividend
    divisor_zeros = min(32 - divisor.bit_length(), 31)
    count = 0
    for step in range(1, _LIMIT):
        skip = min(_leading_zeros(register), 63) - divisor_zeros - 1
        limited = skip > max(31 - count, 0)
        amount = min(max(skip, 0), max(31 - count, 0))
        shifted = register << (amount + 1) & _M64
        difference = (shifted >> 32) - divisor
        if difference >= 0:
            register = difference << 32 | shifted & _M32 | 1
        elif limited:
            register = shifted
        else:
            next_difference = (shifted >> 31 & _M32) - divisor
            register = (next_difference & _M32) << 32 | (shifted & _M31) << 1 | 1
        # The defect: without a skip the second bit of a failed compare is not counted.
        count += 1 if skip <= 0 else skip + (2 if difference < 0 else 1)
        if limited or count == 32:
            return PublishedDivision(2 + step, register & _M32, register >> 32)
    return None


def _leading_zeros(register: int) -> int:
    high = register >> 32
    return 32 - high.bit_length() if high else 64 - register.bit_length()
