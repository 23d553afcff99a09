"""Life of a battery that a periodic source charges. Temperature is not modeled.

The charge starts full, at the beginning of the part of a cycle in which the source is off. The
device draws its mean power at all times.
"""

import math

from gnomon.base.interval import Interval
from gnomon.deploy._account import compute_drain_mw, compute_usable_mwh
from gnomon.deploy._keys import BatteryKeys
from gnomon.deploy._pipeline_keys import HarvestKeys

_PS_PER_HOUR = 3600 * 10**12


def compute_harvested_mw(harvest: HarvestKeys) -> float:
    """Return the stored power while the source is on; efficiency is 1 if it is not included."""
    efficiency = 1.0 if harvest.efficiency.value is None else harvest.efficiency.value
    return harvest.power_mw.counted * efficiency


def compute_harvested_life_ps(
    battery: BatteryKeys, harvest: HarvestKeys, power_mw: Interval
) -> Interval:
    """Return the time until the battery is empty; infinite if every cycle restores its loss."""

    def life(mw: float) -> float:
        return _until_empty_ps(
            compute_usable_mwh(battery) * _PS_PER_HOUR,
            compute_drain_mw(battery, mw),
            compute_harvested_mw(harvest),
            float(harvest.of_ps - harvest.on_ps),
            float(harvest.on_ps),
        )

    return Interval(life(power_mw.value), life(power_mw.high), life(power_mw.low), "ps")


def _until_empty_ps(
    full: float, drain_mw: float, harvested_mw: float, off_ps: float, on_ps: float
) -> float:
    """Return the time until a charge is used up; charges in mW times ps."""
    fall, rise = drain_mw * off_ps, (harvested_mw - drain_mw) * on_ps
    if drain_mw <= 0:
        return math.inf
    if fall >= full:
        return full / drain_mw
    lost = fall - rise  # in each cycle; a full battery stores no more
    if rise >= 0 and lost <= 0:
        return math.inf
    # Cycles that end with a charge from which the next one empties the battery.
    lowest = fall if rise >= 0 else lost
    cycles = max(0, math.ceil((full - lowest) / lost))
    left = full - cycles * lost
    time_ps = cycles * (off_ps + on_ps)
    if left <= fall:
        return time_ps + left / drain_mw
    return time_ps + off_ps + (left - fall) / (drain_mw - harvested_mw)
