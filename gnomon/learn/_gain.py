"""What the periodic correction gains: orders of magnitude, read in five ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gnomon.learn._drift import DriftResult
    from gnomon.learn.kernels import Floats


@dataclass(frozen=True, slots=True)
class CorrectionGain:
    """log10 of uncorrected drift over corrected drift, from the first correction on.

    Rounds in which a drift is 0 are left out: the corrected inverse can equal the direct one to
    the last bit, and the gain is then unbounded.

    Attributes:
        peak: largest over all rounds; it is at a correction.
        after: median over the rounds just after a correction: the "up to" that a plot shows.
        median: over all rounds.
        before: median over the rounds just before a correction, where it gains least.
        last_period: of the largest drift in the last period, uncorrected over corrected.
        period: updates between two corrections.
        corrections: how many there were.
    """

    peak: float
    after: float
    median: float
    before: float
    last_period: float
    period: int
    corrections: int


def correction_gain(result: DriftResult) -> CorrectionGain | None:
    """The gain in a result; None for a run with fewer than two corrections."""
    period, rounds = result.case.correction_period, result.case.rounds
    if rounds < 2 * period:
        return None
    plain, corrected = result.variant("optimized").drift, result.variant("corrected").drift
    later = slice(period - 1, None)
    both = (plain[later] > 0) & (corrected[later] > 0)
    orders = np.log10(plain[later][both] / corrected[later][both])
    before = np.arange(2 * period - 2, rounds, period)  # from the first corrected period on
    after = np.arange(period, rounds, period)
    last = slice(rounds - period, rounds - 1)
    return CorrectionGain(
        peak=float(orders.max()),
        median=_median(plain[later], corrected[later]),
        after=_median(plain[after], corrected[after]),
        before=_median(plain[before], corrected[before]),
        last_period=float(np.log10(plain[last].max() / corrected[last].max())),
        period=period,
        corrections=rounds // period,
    )


def _median(plain: Floats, corrected: Floats) -> float:
    both = (plain > 0) & (corrected > 0)
    return float(np.median(np.log10(plain[both] / corrected[both])))
