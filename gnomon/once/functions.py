"""Integer models of the logarithm and the exponential of ``fx_log.c`` and ``fx_exp.c``."""

from functools import cache
from math import log
from typing import Final

_LN_2_Q32: Final = 2977044472
_THIRD_Q32: Final = 1431655765
_SIXTH_Q32: Final = 715827883
_LOG2_E_Q31: Final = 3098164009


@cache
def _tables() -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return reciprocals and logarithms of ``fx_log.c``, and powers of ``fx_exp.c``."""
    reciprocals = tuple(round(2**32 / (1 + (i + 0.5) / 64)) for i in range(64))
    logarithms = tuple(round(-log(each / 2**32) * 2**32) for each in reciprocals)
    return reciprocals, logarithms, tuple(round(2.0 ** (31 - i / 64)) for i in range(64))


def log_of(value: int, bits: int) -> int:
    """Return ln(value 2^-bits) in words of ``bits`` fraction bits, as ``fx_log_of`` does."""
    reciprocals, logarithms, _ = _tables()
    zeros = 32 - value.bit_length()
    m = value << zeros
    index = m >> 25 & 63
    t = (m * reciprocals[index] - (1 << 63)) >> 25
    square = t * t >> 32
    third = (square * t >> 32) * _THIRD_Q32 >> 32
    small = (t >> 2) - (square >> 9) + (third >> 14)
    total = (31 - zeros - bits) * _LN_2_Q32 + logarithms[index] + (small >> 4)
    return (total + (1 << (31 - bits))) >> (32 - bits)


def exp_of_minus(size: int, bits: int) -> int:
    """Return exp(-size 2^-bits) in words of ``bits`` fraction bits, as ``fx_exp.c`` does."""
    t = size * _LOG2_E_Q31 >> (bits - 1)
    right = 31 - bits + (t >> 32)
    if right > 31:
        return 0
    fraction = t & 0xFFFF_FFFF
    r = (fraction << 6 & 0xFFFF_FFFF) * _LN_2_Q32 >> 32
    square = r * r >> 32
    sixth = (square * r >> 32) * _SIXTH_Q32 >> 32
    less = (r >> 6) - (square >> 13) + (sixth >> 18)
    power = _tables()[2][fraction >> 26]
    value = power - (power * less >> 32)
    return (value + (1 << right >> 1)) >> right
