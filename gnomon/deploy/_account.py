"""Energy of a run by part, with intervals, and the resulting battery life.

The parts sum to the power integrated over time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.base.interval import Interval
from gnomon.base.values import json_attributes, to_json_data
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._keys import BatteryKeys
from gnomon.deploy._model import (
    ASLEEP,
    AWAKE,
    ENTERING,
    PS_PER_S,
    STATES,
    WAKING,
    DeploymentRecord,
    Draw,
    Powers,
    Requests,
    Times,
)
from gnomon.deploy._service import Costs
from gnomon.deploy.quantities import NOT_INCLUDED, Sourced

_UJ_PER_MW_PS = 1e-9
_HOURS_PER_YEAR = 365.25 * 24
_PS_PER_HOUR = 3600 * 10**12


@dataclass(frozen=True, slots=True)
class Part:
    """Energy of one part of the run, in µJ."""

    name: str
    energy_uj: Interval
    note: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """Energy of a run by part."""

    parts: tuple[Part, ...]  # they sum to the total
    total_uj: Interval  # its ends are the sums of the ends of the parts
    power_mw: Interval  # mean over the whole run
    peak_mw: float  # largest power at any time
    not_included: tuple[str, ...]  # quantities without a figure

    def to_json(self) -> dict[str, Any]:
        return json_attributes(self, "total_uj peak_mw not_included") | {
            "parts_uj": {part.name: to_json_data(part.energy_uj) for part in self.parts},
            "mean_mw": to_json_data(self.power_mw),
        }


def compute_draw(deployment: Deployment, costs: Costs) -> Draw:
    """Return the power that the engine integrates; zeros if energy is unavailable."""
    idle = compute_idle_mw(deployment, costs)
    if idle is None:
        return Draw.nothing(len(costs.stages.select_ps))
    static_mw = deployment.power.static_mw.counted
    state_mw = np.full(len(STATES), static_mw)
    state_mw[AWAKE] += idle.value
    enter_uj = wake_uj = 0.0
    sleep = deployment.sleep
    if sleep is not None:
        state_mw[ASLEEP] += sleep.power_mw.counted
        enter_uj, more_mw = _split_change(sleep.enter_uj, sleep.enter_ps, idle.value)
        state_mw[ENTERING] += more_mw
        wake_uj, more_mw = _split_change(sleep.wake_uj, sleep.wake_ps, idle.value)
        state_mw[WAKING] += more_mw
    stages = costs.stages
    return Draw(
        state_mw,
        enter_uj,
        wake_uj,
        _subtract_idle(costs.select_uj, stages.select_ps, idle.value),
        _subtract_idle(costs.update_uj, stages.update_ps, idle.value),
        _subtract_idle(costs.correcting_uj, stages.correcting_ps, idle.value),
    )


def _split_change(energy: Sourced | None, time_ps: Sourced, idle_mw: float) -> tuple[float, float]:
    """Return energy in µJ of an instantaneous change, and power in mW during a longer one.

    Both exclude static power; one of them is 0.
    """
    if energy is None:
        return 0.0, idle_mw
    length_ps = round(time_ps.counted)
    if not length_ps:
        return energy.counted, 0.0
    return 0.0, energy.counted / (length_ps * _UJ_PER_MW_PS)


def _subtract_idle(energies: Sequence[Interval], times_ps: Times, idle_mw: float) -> Powers:
    """Return the power of stages minus idle power in mW: the clock runs once for all harts."""
    values: Powers = np.array([each.value for each in energies])
    return values / (times_ps * _UJ_PER_MW_PS) - idle_mw


def compute_idle_mw(deployment: Deployment, costs: Costs) -> Interval | None:
    """Return the power of the awake machine without a working hart; None: energy unavailable."""
    if costs.idle_mw is None or deployment.power.idle_mw is None:
        return costs.idle_mw
    return _exact_interval(deployment.power.idle_mw.counted, "mW")


def compute_account(
    deployment: Deployment, costs: Costs, requests: Requests, record: DeploymentRecord
) -> Account | None:
    """Return the energy of a run by part; None if energy is unavailable.

    Raises:
        AssertionError: if the parts differ from the integral of the engine; a defect of gnomon.
    """
    idle = compute_idle_mw(deployment, costs)
    if idle is None:
        return None
    sample, stages = requests.sample, costs.stages
    corrected = record.corrected
    worked_ps = int(record.select_worked_ps.sum() + record.update_worked_ps.sum())
    idle_ps = int(record.state_ps[AWAKE]) - record.any_busy_ps
    updated_ps = record.update_worked_ps
    decisions = _sum_stages(costs.select_uj, stages.select_ps, sample, record.select_worked_ps)
    updates = _sum_stages(
        costs.update_uj, stages.update_ps, sample[~corrected], updated_ps[~corrected]
    )
    parts = [Part("decisions", decisions), Part("updates", updates)]
    if stages.correction_period:
        corrections = _sum_stages(
            costs.correcting_uj, stages.correcting_ps, sample[corrected], updated_ps[corrected]
        )
        parts.append(Part("corrections", corrections))
    parts.append(Part("idle, awake", _integrate(idle, idle_ps)))
    overlap_ps = worked_ps - record.any_busy_ps
    if overlap_ps:
        # Each stage was measured alone, so it includes the clock of the whole machine.
        twice = _integrate(idle, overlap_ps)
        parts.append(Part("counted twice", Interval(-twice.value, -twice.high, -twice.low, "µJ"),
                          "idle power, where several harts work at once"))  # fmt: skip
    sleep = deployment.sleep
    if sleep is not None:
        times = record.state_ps
        parts += [
            Part("asleep", _integrate_figure(sleep.power_mw, int(times[ASLEEP])),
                 _note_left_out(sleep.power_mw)),
            Part("falling asleep", _sum_changes(sleep.enter_uj, sleep.enter_ps, idle,
                                                int(times[ENTERING]), record.enters),
                 _note_left_out(sleep.enter_uj)),
            Part("waking", _sum_changes(sleep.wake_uj, sleep.wake_ps, idle, int(times[WAKING]),
                                        record.wakes), _note_left_out(sleep.wake_uj)),
        ]  # fmt: skip
    static_mw = deployment.power.static_mw
    static = _integrate_figure(static_mw, requests.horizon_ps)
    parts.append(Part("static", static, _note_left_out(static_mw)))
    value, low, high = (
        math.fsum(getattr(part.energy_uj, end) for part in parts)
        for end in ("value", "low", "high")
    )
    total = Interval(value, low, high, "µJ")
    if not math.isclose(total.value, record.energy_uj, rel_tol=1e-7, abs_tol=1e-9):
        raise AssertionError(
            f"energy accounting is wrong: parts sum to {total.value} µJ, power integrated over time"
            f" is {record.energy_uj} µJ"
        )
    scale = 1e3 * PS_PER_S / requests.horizon_ps / 1e6  # µJ over the run to mW
    power = Interval(total.value * scale, max(0.0, total.low) * scale, total.high * scale, "mW")
    return Account(
        tuple(parts), total, power, _compute_peak_mw(deployment, costs), deployment.not_included
    )


def _sum_stages(
    energies: Sequence[Interval], times_ps: Times, sample: Times, worked_ps: Times
) -> Interval:
    """Return the energy of stages; the end of the run cuts one in proportion to time."""
    if not len(sample):
        return _exact_interval(0.0, "µJ")
    shares = np.bincount(sample, weights=worked_ps / times_ps[sample], minlength=len(energies))
    ends = np.array([(each.value, each.low, each.high) for each in energies])
    value, low, high = (float(end) for end in shares @ ends)
    return Interval(value, low, high, "µJ")


def _exact_interval(value: float, unit: str) -> Interval:
    return Interval(value, value, value, unit)


def _integrate(power: Interval, time_ps: int) -> Interval:
    return power.scaled(time_ps * _UJ_PER_MW_PS, "µJ")


def _integrate_figure(power_mw: Sourced, time_ps: int) -> Interval:
    return _exact_interval(power_mw.counted * time_ps * _UJ_PER_MW_PS, "µJ")


def _note_left_out(figure: Sourced | None) -> str:
    return NOT_INCLUDED if figure is not None and figure.value is None else ""


def _sum_changes(
    energy: Sourced | None, length_ps: Sourced, idle: Interval, time_ps: int, count: int
) -> Interval:
    if energy is None:
        return _integrate(idle, time_ps)
    whole_ps = round(length_ps.counted)
    times = time_ps / whole_ps if whole_ps else count
    return _exact_interval(energy.counted * times, "µJ")


def _compute_peak_mw(deployment: Deployment, costs: Costs) -> float:
    """Return the power with all harts at the stage that draws the most."""
    draw = compute_draw(deployment, costs)
    most = max(float(row.max()) for row in (draw.select_mw, draw.update_mw, draw.correcting_mw))
    at_work = float(draw.state_mw[AWAKE]) + deployment.device.harts * max(0.0, most)
    return max(at_work, float(draw.state_mw.max()))


def compute_battery_life_ps(battery: BatteryKeys, power_mw: Interval) -> Interval | None:
    """Return the time until the usable capacity is drained; None without any drain.

    Self-discharge is modeled as constant power: its share of the full capacity per year. If the
    usable share is not included, all capacity is usable; an excluded self-discharge is 0.
    """
    capacity_mwh = battery.capacity_mwh.counted
    usable = 1.0 if battery.usable.value is None else battery.usable.value
    lost_mw = capacity_mwh * battery.self_discharge_per_year.counted / _HOURS_PER_YEAR

    def life(mw: float) -> float:
        drain_mw = mw + lost_mw
        return capacity_mwh * usable / drain_mw * _PS_PER_HOUR if drain_mw > 0 else float("inf")

    found = Interval(life(power_mw.value), life(power_mw.high), life(power_mw.low), "ps")
    return None if found.value == float("inf") else found


def compute_overdrawn_ma(battery: BatteryKeys, power_mw: float) -> float | None:
    """Return the current at a power in mA if it exceeds the load of the battery; else None."""
    if battery.current_ma is None or battery.voltage_v is None:
        return None
    drawn_ma = power_mw / battery.voltage_v.counted
    return drawn_ma if drawn_ma > battery.current_ma.counted else None
