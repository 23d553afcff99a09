"""Energy of a run by part, with intervals, and the resulting battery life.

The parts sum to the power integrated over time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.base.interval import Interval
from gnomon.base.sums import dot
from gnomon.base.values import json_attributes, to_json_data
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._keys import PowerKeys, SleepKeys
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

DEVICE_PARTS = (
    "idle, awake", "counted twice", "asleep", "falling asleep", "waking", "static",
)  # fmt: skip
"""Names of the parts of the energy that do not belong to a run of a stage."""
_UJ_PER_MW_PS = 1e-9


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
    idle = compute_idle_mw(deployment.power, costs.idle_mw)
    if idle is None:
        return Draw.nothing(len(costs.stages.select_ps))
    stages = costs.stages
    return Draw(
        *compute_state_draw(deployment.power, deployment.sleep, idle.value),
        subtract_idle(costs.select_uj, stages.select_ps, idle.value),
        subtract_idle(costs.update_uj, stages.update_ps, idle.value),
        subtract_idle(costs.correcting_uj, stages.correcting_ps, idle.value),
    )


def compute_state_draw(
    power: PowerKeys, sleep: SleepKeys | None, idle_mw: float
) -> tuple[Powers, float, float]:
    """Return power in mW by state, and the energies in µJ of instantaneous changes of state."""
    state_mw = np.full(len(STATES), power.static_mw.counted)
    state_mw[AWAKE] += idle_mw
    enter_uj = wake_uj = 0.0
    if sleep is not None:
        state_mw[ASLEEP] += sleep.power_mw.counted
        enter_uj, more_mw = _split_change(sleep.enter_uj, sleep.enter_ps, idle_mw)
        state_mw[ENTERING] += more_mw
        wake_uj, more_mw = _split_change(sleep.wake_uj, sleep.wake_ps, idle_mw)
        state_mw[WAKING] += more_mw
    return state_mw, enter_uj, wake_uj


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


def subtract_idle(energies: Sequence[Interval], times_ps: Times, idle_mw: float) -> Powers:
    """Return the power of stages minus idle power in mW: the clock runs once for all harts."""
    values: Powers = np.array([each.value for each in energies])
    return values / (times_ps * _UJ_PER_MW_PS) - idle_mw


def compute_idle_mw(power: PowerKeys, measured_mw: Interval | None) -> Interval | None:
    """Return the power of the awake machine without a working hart; None: energy unavailable."""
    if measured_mw is None or power.idle_mw is None:
        return measured_mw
    return _exact_interval(power.idle_mw.counted, "mW")


def compute_account(
    deployment: Deployment, costs: Costs, requests: Requests, record: DeploymentRecord
) -> Account | None:
    """Return the energy of a run by part; None if energy is unavailable.

    Raises:
        AssertionError: if the parts differ from the integral of the engine; a defect of gnomon.
    """
    idle = compute_idle_mw(deployment.power, costs.idle_mw)
    if idle is None:
        return None
    sample, stages = requests.sample, costs.stages
    corrected = record.corrected
    worked_ps = int(record.select_worked_ps.sum() + record.update_worked_ps.sum())
    updated_ps = record.update_worked_ps
    decisions = sum_runs(costs.select_uj, stages.select_ps, sample, record.select_worked_ps)
    updates = sum_runs(
        costs.update_uj, stages.update_ps, sample[~corrected], updated_ps[~corrected]
    )
    parts = [Part("decisions", decisions), Part("updates", updates)]
    if stages.correction_period:
        corrections = sum_runs(
            costs.correcting_uj, stages.correcting_ps, sample[corrected], updated_ps[corrected]
        )
        parts.append(Part("corrections", corrections))
    spans = TimeSpans(
        requests.horizon_ps, record.state_ps, record.any_busy_ps, worked_ps, record.enters,
        record.wakes,
    )  # fmt: skip
    parts += list_device_parts(deployment.power, deployment.sleep, idle, spans)
    peak_mw = _compute_peak_mw(deployment, costs)
    return sum_parts(parts, requests.horizon_ps, record.energy_uj, peak_mw, deployment.not_included)


@dataclass(frozen=True, slots=True)
class TimeSpans:
    """Times of a run in ps, on which the energy of the device depends."""

    horizon_ps: int  # its length
    state_ps: Times  # in each state
    any_busy_ps: int  # with at least one working hart
    worked_ps: int  # summed over all harts
    enters: int  # number of times it fell asleep
    wakes: int


def list_device_parts(
    power: PowerKeys, sleep: SleepKeys | None, idle: Interval, spans: TimeSpans
) -> list[Part]:
    """Return the energy that does not belong to a run of a stage."""
    times = spans.state_ps
    awake, overlap, asleep, entering, waking, always = DEVICE_PARTS
    parts = [Part(awake, _integrate(idle, int(times[AWAKE]) - spans.any_busy_ps))]
    overlap_ps = spans.worked_ps - spans.any_busy_ps
    if overlap_ps:
        # Each stage was measured alone, so it includes the clock of the whole machine.
        twice = _integrate(idle, overlap_ps)
        parts.append(Part(overlap, Interval(-twice.value, -twice.high, -twice.low, "µJ"),
                          "idle power, where several harts work at once"))  # fmt: skip
    if sleep is not None:
        parts += [
            Part(asleep, _integrate_figure(sleep.power_mw, int(times[ASLEEP])),
                 _note_left_out(sleep.power_mw)),
            Part(entering, _sum_changes(sleep.enter_uj, sleep.enter_ps, idle,
                                                int(times[ENTERING]), spans.enters),
                 _note_left_out(sleep.enter_uj)),
            Part(waking, _sum_changes(sleep.wake_uj, sleep.wake_ps, idle, int(times[WAKING]),
                                        spans.wakes), _note_left_out(sleep.wake_uj)),
        ]  # fmt: skip
    static = _integrate_figure(power.static_mw, spans.horizon_ps)
    return [*parts, Part(always, static, _note_left_out(power.static_mw))]


def sum_parts(
    parts: Sequence[Part],
    horizon_ps: int,
    integral_uj: float,
    peak_mw: float,
    not_included: tuple[str, ...],
) -> Account:
    """Return the account of all parts.

    Raises:
        AssertionError: if the parts differ from the integral of the engine; a defect of gnomon.
    """
    value, low, high = (
        math.fsum(getattr(part.energy_uj, end) for part in parts)
        for end in ("value", "low", "high")
    )
    total = Interval(value, low, high, "µJ")
    if not math.isclose(total.value, integral_uj, rel_tol=1e-7, abs_tol=1e-9):
        raise AssertionError(
            f"energy accounting is wrong: parts sum to {total.value} µJ, power integrated over time"
            f" is {integral_uj} µJ"
        )
    scale = 1e3 * PS_PER_S / horizon_ps / 1e6  # µJ over the run to mW
    power = Interval(total.value * scale, max(0.0, total.low) * scale, total.high * scale, "mW")
    return Account(tuple(parts), total, power, peak_mw, not_included)


def sum_runs(
    energies: Sequence[Interval], times_ps: Times, sample: Times, worked_ps: Times
) -> Interval:
    """Return the energy of stages; the end of the run cuts one in proportion to time."""
    if not len(sample):
        return _exact_interval(0.0, "µJ")
    shares = np.bincount(sample, weights=worked_ps / times_ps[sample], minlength=len(energies))
    ends = np.array([(each.value, each.low, each.high) for each in energies])
    value, low, high = dot(ends.T, shares).tolist()
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
    draw = compute_draw(deployment, costs)
    rows = (draw.select_mw, draw.update_mw, draw.correcting_mw)
    return find_peak_mw(draw.state_mw, rows, deployment.device.harts)


def find_peak_mw(state_mw: Powers, rows: Sequence[Powers], harts: int) -> float:
    """Return the power with all harts at the run that draws the most."""
    most = max(float(row.max()) for row in rows)
    return max(float(state_mw[AWAKE]) + harts * max(0.0, most), float(state_mw.max()))
