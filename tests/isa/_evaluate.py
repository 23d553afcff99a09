"""Meanings of instructions as the Python that they are: the C made from them is checked by it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

_WORD: Final = 0xFFFF_FFFF


def _signed(value: int) -> int:
    return ((value & _WORD) ^ 0x8000_0000) - 0x8000_0000


def _quotient(a: int, b: int) -> int:
    """Divide towards zero; -1 for a zero divisor."""
    dividend, divisor = _signed(a), _signed(b)
    if divisor == 0:
        return -1
    size = abs(dividend) // abs(divisor)
    return -size if (dividend < 0) != (divisor < 0) else size


def _remainder(a: int, b: int) -> int:
    """Return what is left, with the sign of the dividend; the dividend for a zero divisor."""
    return _signed(a) if b & _WORD == 0 else _signed(a) - _quotient(a, b) * _signed(b)


def _shifted_quotient(x: int, y: int, n: int) -> int:
    """Divide a shifted dividend; what does not fit is the largest or smallest word."""
    dividend, divisor = _signed(x) << n, _signed(y)
    if divisor == 0:
        exact = (dividend > 0) - (dividend < 0) << 62
    else:
        size = abs(dividend) // abs(divisor)
        exact = -size if (dividend < 0) != (divisor < 0) else size
    return max(-0x8000_0000, min(exact, 0x7FFF_FFFF))


_FUNCTIONS: Final[dict[str, Callable[..., int]]] = {
    "signed": _signed,
    "wide": lambda value: value & _WORD,
    "signed_wide": _signed,
    "div": _quotient,
    "rem": _remainder,
    "div_shifted": _shifted_quotient,
}


@cache
def _compiled(expression: str) -> CodeType:
    return compile(expression, "<meaning>", "eval")


def evaluate(expression: str, **words: int) -> int:
    """Return the value of an expression as a word without sign.

    Args:
        expression: of a ``Meaning``.
        words: what its names stand for, 0 to 2**32 - 1 each.
    """
    return int(eval(_compiled(expression), {"__builtins__": {}, **_FUNCTIONS}, words)) & _WORD
