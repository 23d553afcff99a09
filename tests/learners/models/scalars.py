"""The scalar operations of the paper code in plain integers, bit for bit."""

from __future__ import annotations

from math import isqrt

from gnomon.content.algorithms.linucb_paper.arithmetic import wrap


def _toward_zero(numerator: int, denominator: int) -> int:
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def multiply(a: int, b: int, fraction_bits: int = 15) -> int:
    """Product rounded towards zero, low 32 bits."""
    return wrap(_toward_zero(a * b, 1 << fraction_bits))


def divide(a: int, b: int, fraction_bits: int = 15) -> int:
    """Quotient rounded towards zero, low 32 bits; by zero the end of the range of a's sign."""
    if b == 0:
        return -(2**31) if a < 0 else 2**31 - 1
    return wrap(_toward_zero(a << fraction_bits, b))


def square_root(a: int, fraction_bits: int = 15) -> int:
    """Square root rounded to nearest; 0 of a negative number."""
    operand = max(a, 0) << fraction_bits
    root = isqrt(operand)
    return root + (operand - root * root > root)
