"""Cycles of a mix by the costs of a platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval

if TYPE_CHECKING:
    from gnomon.cost.platforms._mix import Mix
    from gnomon.cost.platforms._platform import Platform


def documented_cycles(mix: Mix, platform: Platform) -> Interval:
    """Cycles by the documentation alone; the interval is that of its costs.

    Raises:
        GnomonError: something was executed that has no cost.
    """
    missing = [name for name, count in mix.items() if count and name not in platform.costs]
    if missing:
        counts = ", ".join(f"{name} ({mix[name]:,})" for name in missing)
        raise GnomonError(
            f"{platform.file}: no cost for what was executed: {counts}; add costs.{missing[0]} with"
            " cycles and source"
        )
    total = Interval(0.0, 0.0, 0.0)
    for name, count in mix.items():
        if count:
            total += platform.costs[name].cycles * count
    return total


def calibrated_cycles(mix: Mix, platform: Platform) -> Interval:
    """Cycles with the fitted factor; the interval is what left-out cells have differed by.

    Raises:
        GnomonError: something was executed that has no cost.
    """
    value = documented_cycles(mix, platform).value * platform.calibration.factor
    lowest, highest = platform.calibration.left_out
    return Interval(value, value / highest, value / lowest)
