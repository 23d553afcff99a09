"""Whole numbers that people write, read in one way."""

from typing import Final

MOST_DIGITS: Final = 18
"""Of a number; one of more does not fit 64 bits, and Python refuses those of some thousand."""


def digits(text: str) -> int | None:
    """The number that a text of 1 to 18 decimal digits is; None if it is anything else."""
    plain = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if plain else None
