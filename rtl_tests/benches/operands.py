"""Operands for dividers: all pairs of corner values, random pairs of every shape, or every pair."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Pair = tuple[bool, int, int]
"""Signed, dividend, divisor; both as unsigned words."""


def corners(width: int) -> list[int]:
    """Values at which something changes: sign, length, carries through the whole word."""
    top = 1 << (width - 1)
    last = (1 << width) - 1
    half = width // 2
    values = {0, 1, 2, 3, 5, 7, 8, 127, 128, 255, (1 << half) - 1, 1 << half}
    values |= {top - 2, top - 1, top, top + 1, last - 1, last, last // 3, last // 3 * 2}
    return sorted(value & last for value in values)


def corner_pairs(width: int) -> Iterator[Pair]:
    """Every corner divided by every corner, signed and not."""
    yield from product((False, True), corners(width), corners(width))


def every_pair(width: int) -> Iterator[Pair]:
    """Every word divided by every word, signed and not; for narrow words."""
    yield from product((False, True), range(1 << width), range(1 << width))


def random_pairs(width: int, count: int, seed: int) -> Iterator[Pair]:
    """Pairs of every shape: uniform, of uniform length, small quotients, long exact ones."""
    rng = Random(seed)
    last = (1 << width) - 1

    def of_any_length() -> int:
        return rng.getrandbits(rng.randint(0, width)) if rng.random() < 0.9 else last

    for _ in range(count):
        shape = rng.randrange(5)
        divisor = of_any_length()
        if shape == 0:
            dividend, divisor = rng.getrandbits(width), rng.getrandbits(width)
        elif shape == 1:
            dividend = of_any_length()
        elif shape == 2:  # a quotient of at most 3 bits
            dividend = divisor * rng.randrange(8) + rng.randrange(max(divisor, 1))
        elif shape == 3:  # no remainder, or nearly so
            dividend = divisor * (last // divisor if divisor else 1) + rng.randint(-1, 1)
        else:  # few ones: long skips
            dividend = 0
            for _ in range(rng.randint(1, 3)):
                dividend |= 1 << rng.randrange(width)
        is_signed = rng.random() < 0.5
        if is_signed and rng.random() < 0.5:
            dividend = -dividend
        if is_signed and rng.random() < 0.5:
            divisor = -divisor
        yield is_signed, dividend & last, divisor & last
