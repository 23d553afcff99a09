"""How long a battery lasts at a mean power, with what it loses by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.interval import Interval

if TYPE_CHECKING:
    from gnomon.deploy._spec import BatterySpec

HOURS_PER_YEAR = 365.25 * 24
_PS_PER_HOUR = 3600 * 10**12


def battery_life_ps(battery: BatterySpec, power_mw: Interval) -> Interval | None:
    """Until the usable share of the capacity is drawn or lost; None if nothing ever drains it.

    The self-discharge is a constant power: its share of the full capacity per year. A share that is
    not included counts as: all of the capacity is usable, nothing is lost.
    """
    capacity_mwh = battery.capacity_mwh.counted
    usable = 1.0 if battery.usable.value is None else battery.usable.value
    lost_mw = capacity_mwh * battery.self_discharge_per_year.counted / HOURS_PER_YEAR

    def life(mw: float) -> float:
        drain_mw = mw + lost_mw
        return capacity_mwh * usable / drain_mw * _PS_PER_HOUR if drain_mw > 0 else float("inf")

    found = Interval(life(power_mw.value), life(power_mw.high), life(power_mw.low), "ps")
    return None if found.value == float("inf") else found


def overdrawn_ma(battery: BatterySpec, power_mw: float) -> float | None:
    """The current that a power draws, if the battery cannot deliver that without pause."""
    if battery.current_ma is None or battery.voltage_v is None:
        return None
    drawn_ma = power_mw / battery.voltage_v.counted
    return drawn_ma if drawn_ma > battery.current_ma.counted else None
