"""Life of a battery, also of one that a periodic source charges. Temperature is not modeled.

The device draws its mean power at all times. A charged battery starts full, at the beginning of the
part of a cycle in which the source is off.
"""

import math

from gnomon.base.interval import Interval
from gnomon.deploy._account import Account
from gnomon.deploy._keys import BatteryKeys
from gnomon.deploy._pipeline_keys import HarvestKeys

_HOURS_PER_YEAR = 365.25 * 24
_PS_PER_HOUR = 3600 * 10**12


def compute_life_ps(
    battery: BatteryKeys, power_mw: Interval, harvest: HarvestKeys | None = None
) -> Interval | None:
    """Return the time until the usable capacity is drained.

    It is infinite if every cycle of the source restores what it uses; None: nothing drains it.
    Self-discharge is modeled as constant power: its share of the full capacity per year. If the
    usable share is not included, all capacity is usable; an excluded self-discharge is 0, and an
    excluded efficiency of the source is 1.
    """
    full = _compute_usable_mwh(battery) * _PS_PER_HOUR  # in mW times ps
    off_ps = on_ps = harvested_mw = 0.0
    if harvest is not None:
        off_ps, on_ps = float(harvest.of_ps - harvest.on_ps), float(harvest.on_ps)
        efficiency = 1.0 if harvest.efficiency.value is None else harvest.efficiency.value
        harvested_mw = harvest.power_mw.counted * efficiency

    def life(mw: float) -> float:
        drain_mw = _compute_drain_mw(battery, mw)
        if drain_mw <= 0:
            return math.inf
        if harvest is None:
            return full / drain_mw
        return _until_empty_ps(full, drain_mw, harvested_mw, off_ps, on_ps)

    found = Interval(life(power_mw.value), life(power_mw.high), life(power_mw.low), "ps")
    return None if harvest is None and found.value == math.inf else found


def compute_lives(
    battery: BatteryKeys | None, account: Account | None, harvest: HarvestKeys | None = None
) -> tuple[Interval | None, float | None]:
    """Return battery life in ps, and the peak current in mA if the battery cannot deliver it."""
    if battery is None or account is None:
        return None, None
    life_ps = compute_life_ps(battery, account.power_mw, harvest)
    return life_ps, compute_overdrawn_ma(battery, account.peak_mw)


def compute_overdrawn_ma(battery: BatteryKeys, power_mw: float) -> float | None:
    """Return the current at a power in mA if it exceeds the load of the battery; else None."""
    if battery.current_ma is None or battery.voltage_v is None:
        return None
    drawn_ma = power_mw / battery.voltage_v.counted
    return drawn_ma if drawn_ma > battery.current_ma.counted else None


def _compute_usable_mwh(battery: BatteryKeys) -> float:
    """Return the capacity that the device can use; all of it if that share is not included."""
    usable = 1.0 if battery.usable.value is None else battery.usable.value
    return battery.capacity_mwh.counted * usable


def _compute_drain_mw(battery: BatteryKeys, power_mw: float) -> float:
    """Return a power plus self-discharge."""
    lost_per_year = battery.capacity_mwh.counted * battery.self_discharge_per_year.counted
    return power_mw + lost_per_year / _HOURS_PER_YEAR


def _until_empty_ps(
    full: float, drain_mw: float, harvested_mw: float, off_ps: float, on_ps: float
) -> float:
    """Return the time until a charge is used up; charges in mW times ps."""
    fall, rise = drain_mw * off_ps, (harvested_mw - drain_mw) * on_ps
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
