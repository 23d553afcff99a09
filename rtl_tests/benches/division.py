"""Operands of divisions, their expected results and cycles.

Values come from Python's division, and for signed 32-bit words also from the package's model;
cycles come from the latency model of the kind, as the simulator uses it.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from gnomon.arch.dividers import Divider, Lane

Pair = tuple[bool, int, int]
"""Signed, dividend, divisor; both as unsigned words."""


def corners(width: int) -> list[int]:
    """Return corner values: changes of sign or length, carries through the whole word."""
    top = 1 << (width - 1)
    last = (1 << width) - 1
    half = width // 2
    values = {0, 1, 2, 3, 5, 7, 8, 127, 128, 255, (1 << half) - 1, 1 << half}
    values |= {top - 2, top - 1, top, top + 1, last - 1, last, last // 3, last // 3 * 2}
    return sorted(value & last for value in values)


def all_pairs(words: Sequence[int]) -> Iterator[Pair]:
    """Yield every word divided by every word, signed and unsigned."""
    yield from product((False, True), words, words)


def random_pairs(width: int, count: int, seed: int) -> Iterator[Pair]:
    """Sample pairs of every shape: uniform, uniform length, small or long exact quotients."""
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


def to_signed(word: int, width: int) -> int:
    """Read a word as two's complement."""
    return word - (1 << width) if word >> (width - 1) else word


def expected_values(pair: Pair, width: int) -> tuple[int, int]:
    """Return quotient and remainder as RISC-V defines them, as unsigned words."""
    is_signed, dividend, divisor = pair
    last = (1 << width) - 1
    a, d = (to_signed(x, width) if is_signed else x for x in (dividend, divisor))
    if d == 0:
        quotient, remainder = -1, a
    else:
        quotient = abs(a) // abs(d) * (-1 if (a < 0) != (d < 0) else 1)
        remainder = a - quotient * d
    if is_signed and width == 32:
        lane = Lane(zero_as_riscv=True)
        assert (quotient - lane.quotient(a, d)) % 2**32 == 0, pair
        assert (remainder - lane.remainder(a, d)) % 2**32 == 0, pair
    return quotient & last, remainder & last


def expected_cycles(kind: str, pair: Pair, width: int) -> int:
    """Return the cycles from operands visible to result visible."""
    is_signed, dividend, divisor = pair
    a, d = (to_signed(x, width) if is_signed else x for x in (dividend, divisor))
    a, d = (abs(value) if is_signed else value & 0xFFFF_FFFF for value in (a, d))
    return Divider.named(kind).engine_cycles(a, d, width)
