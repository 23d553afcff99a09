"""The finer operand model: toggles by Hamming distance between consecutive operands.

Measured for some classes at distances 0, 4, 8, 16 and 32, all else equal. A class gets its figure
for random q15 values, which differ in 16 bits on average, and what its measured relative gains or
loses from 16 bits to the distance asked for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Toggles = npt.NDArray[np.float64]
"""Toggles by unit, in the order of ``ActivityTable.units``."""

HAMMING = re.compile(r"hamming-([0-9]{1,2})")
LARGEST_DISTANCE = 32
_OF_Q15 = 16
_DISTANCES = (0, 4, 8, 16, 32)
_WORDS = 32  # vectors were measured at this length alone

Curves = dict[tuple[str, int, int], dict[int, Toggles]]
"""Toggles by distance, of (class, SIMD or 0, active harts)."""


def distance_of(name: str) -> int | None:
    """The distance that ``hamming-12`` means; None if it is no such name."""
    match = HAMMING.fullmatch(name)
    if match is None or int(match.group(1)) > LARGEST_DISTANCE:
        return None
    return int(match.group(1))


def scalar_shift(
    curves: Curves, like: Mapping[str, str], name: str, harts: int, distance: int
) -> Toggles | None:
    """What a scalar instruction gains over 16 bits; None if its operands do not matter."""
    relative = like.get(name)
    return None if relative is None else _shift(curves[relative, 0, harts], distance)


def vector_shift(
    curves: Curves, like: Mapping[str, str], name: str, simd: int, distance: int
) -> Toggles | None:
    """The same for a word of a vector. SIMD 2 was not measured: the mean of 1 and 4."""
    relative = like.get(name)
    if relative is None:
        return None
    measured = [each for (group, each, _) in curves if group == relative]
    widths = (simd,) if simd in measured else (1, 4)
    shifts = [_shift(curves[relative, width, 1], distance) for width in widths]
    return sum(shifts[1:], shifts[0]) / (len(widths) * _WORDS)


def _shift(curve: Mapping[int, Toggles], distance: int) -> Toggles:
    upper = next(d for d in _DISTANCES if d >= distance)
    toggles = curve[upper]
    if upper > distance:
        lower = max(d for d in _DISTANCES if d < distance)
        share = (distance - lower) / (upper - lower)
        toggles = curve[lower] + share * (curve[upper] - curve[lower])
    return toggles - curve[_OF_Q15]
