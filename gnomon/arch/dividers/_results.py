"""What the vector division and the post-scaled product compute, one 32-bit lane at a time.

Plain functions of integers, as in ``_laws``. Operands and results are signed 32-bit values.
Each flag is 0 or 1: 0 is what the instruction is meant to do, 1 a quirk of the public Morph RTL
or another choice that the machine file makes. Source: measurements of klessydra/Morph e3f0dcbd.
"""

from __future__ import annotations

_M32 = 0xFFFFFFFF
_LARGEST = 0x7FFFFFFF
_SMALLEST = -0x80000000


def wrap32(value: int) -> int:
    """Keep the low 32 bits, as a signed word."""
    return ((value & _M32) ^ 0x80000000) - 0x80000000


def lane_quotient(dividend: int, divisor: int, drops_signs: int, zero_as_riscv: int) -> int:
    """Quotient towards zero. x / 0 is 0, or -1 with ``zero_as_riscv``; -2**31 / -1 is -2**31."""
    if divisor == 0:
        return -1 if zero_as_riscv else 0
    quotient = abs(dividend) // abs(divisor)
    if (dividend < 0) != (divisor < 0) and not drops_signs:
        quotient = -quotient
    return wrap32(quotient)


def lane_remainder(dividend: int, divisor: int, drops_signs: int, zero_as_riscv: int) -> int:
    """Remainder with the sign of the dividend. x rem 0 is 0, or x with ``zero_as_riscv``."""
    if divisor == 0:
        return dividend if zero_as_riscv else 0
    remainder = abs(dividend) % abs(divisor)
    if dividend < 0 and not drops_signs:
        remainder = -remainder
    return wrap32(remainder)


def post_scaled_product(a: int, b: int, shift: int, reads_unsigned: int) -> int:
    """Low 32 bits of floor(a * b / 2**shift), the product in full; shift 0 to 31."""
    if reads_unsigned:
        return wrap32(((a & _M32) * (b & _M32)) >> shift)
    return wrap32((a * b) >> shift)


def pre_shifted_quotient(dividend: int, divisor: int, shift: int) -> int:
    """(dividend << shift) / divisor towards zero, saturated; shift 0 to 31. gnomon's proposal.

    x / 0 is the largest or smallest value, by the sign of x; 0 / 0 is 0.
    """
    negative = dividend < 0
    if divisor == 0:
        if dividend == 0:
            return 0
        return _SMALLEST if negative else _LARGEST
    quotient = (abs(dividend) << shift) // abs(divisor)
    if negative != (divisor < 0):
        quotient = -quotient
    return min(max(quotient, _SMALLEST), _LARGEST)
