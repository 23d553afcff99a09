"""Price sets that fit as well: random relative prices of the units, the rest fitted again.

The published powers do not say what a toggle of one unit costs against one of another. So a
prediction that depends on it has a spread, and this is how it is found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.cost.energy._fit import (
    Points,
    design_of,
    errors_of,
    leave_one_out_mw,
    nonnegative_least_squares,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.cost.energy._fit import Array

WEIGHT_FACTOR = 3.0
"""Relative prices are drawn from 1/3 to 3, every ratio alike."""

AS_WELL = 1.1
"""A set fits as well if its leave-one-out error is at most this many times that of equal prices."""


@dataclass(frozen=True, slots=True, eq=False)
class Alternatives:
    """Price sets that fit as well as the one of the table.

    Attributes:
        seed: of the draws.
        drawn: how many were tried.
        clock_mw: clock power of each set that fits as well, shape (sets,).
        pj_per_toggle: energies by unit, shape (sets, units).
    """

    seed: int
    drawn: int
    clock_mw: Array
    pj_per_toggle: Array


def draw_alternatives(
    points: Points, groups: Mapping[str, tuple[str, ...]], *, draws: int, seed: int
) -> Alternatives:
    """Draw relative prices, fit, and keep the sets whose leave-one-out error is about the same."""
    rng = np.random.default_rng(seed)
    equal = design_of(points.toggles_per_cycle, points.units, groups, points.clock_hz)
    reference = errors_of(leave_one_out_mw(equal, points.power_mw), points.power_mw).rms_mw
    clocks, prices = [], []
    for _ in range(draws):
        drawn = WEIGHT_FACTOR ** rng.uniform(-1.0, 1.0, len(points.units))
        weights = dict(zip(points.units, drawn.tolist(), strict=True))
        design = design_of(points.toggles_per_cycle, points.units, groups, points.clock_hz, weights)
        error = errors_of(leave_one_out_mw(design, points.power_mw), points.power_mw).rms_mw
        if error > AS_WELL * reference:
            continue
        values = nonnegative_least_squares(design, points.power_mw)
        clocks.append(values[0])
        by_unit = np.zeros(len(points.units))
        for slope, members in zip(values[1:], groups.values(), strict=True):
            for column, unit in enumerate(points.units):
                if unit in members:
                    by_unit[column] = slope * weights[unit]
        prices.append(by_unit)
    shape = (len(clocks), len(points.units))
    return Alternatives(seed, draws, np.array(clocks), np.array(prices).reshape(shape))
