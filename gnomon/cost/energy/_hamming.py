"""Hamming model of operands: toggles by Hamming distance between consecutive operands.

Some classes were measured at distances of 0, 4, 8, 16 and 32 bits, all else equal. A class has its
figure for random q15 values, which differ in 16 bits on average, plus a shift. The shift is the
change of a measured, similar class from 16 bits to the requested distance.
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
_WORDS = 32  # the only measured length of vectors

Curves = dict[tuple[str, int, int], dict[int, Toggles]]
"""Toggles by distance, by (class, SIMD or 0, active harts)."""


def parse_distance(name: str) -> int | None:
    """Return the distance in a name such as ``hamming-12``; None for other names."""
    match = HAMMING.fullmatch(name)
    if match is None or int(match.group(1)) > LARGEST_DISTANCE:
        return None
    return int(match.group(1))


def compute_scalar_shift(
    curves: Curves, like: Mapping[str, str], name: str, harts: int, distance: int
) -> Toggles | None:
    """Return the toggles of a scalar instruction relative to 16 bits; None: no dependence."""
    relative = like.get(name)
    return None if relative is None else _interpolate_shift(curves[relative, 0, harts], distance)


def compute_vector_shift(
    curves: Curves, like: Mapping[str, str], name: str, simd: int, distance: int
) -> Toggles | None:
    """Return the toggles of a vector word relative to 16 bits; None: no dependence.

    SIMD 2 was not measured; it has the mean of SIMD 1 and 4.
    """
    relative = like.get(name)
    if relative is None:
        return None
    measured = [each for (group, each, _) in curves if group == relative]
    widths = (simd,) if simd in measured else (1, 4)
    shifts = [_interpolate_shift(curves[relative, width, 1], distance) for width in widths]
    return sum(shifts[1:], shifts[0]) / (len(widths) * _WORDS)


def _interpolate_shift(curve: Mapping[int, Toggles], distance: int) -> Toggles:
    upper = next(d for d in _DISTANCES if d >= distance)
    toggles = curve[upper]
    if upper > distance:
        lower = max(d for d in _DISTANCES if d < distance)
        share = (distance - lower) / (upper - lower)
        toggles = curve[lower] + share * (curve[upper] - curve[lower])
    return toggles - curve[_OF_Q15]
