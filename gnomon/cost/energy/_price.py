"""Energy of a span of a run: activity times prices, unit by unit, with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.frames import Framed, typed
from gnomon.base.interval import Interval, student_quantile
from gnomon.base.sums import dot
from gnomon.base.units import microseconds
from gnomon.base.values import json_attributes, to_json_data
from gnomon.cost.energy._activity import Activity, Event
from gnomon.cost.energy._device_prices import price_accesses
from gnomon.cost.energy._gate_table import (
    GATE_LEVEL,
    LEAKAGE,
    NOT_OF_UNITS,
    GateTable,
    compute_gate_energies,
    price_switching_by_word,
    sum_energies,
)
from gnomon.cost.energy._load import load_table
from gnomon.cost.energy._points import Points
from gnomon.cost.energy._power_table import CLOCK, FPGA_CALIBRATED, PowerTable
from gnomon.cost.energy._stated_table import (
    NO_OPERANDS,
    STATED,
    StatedTable,
    compute_stated_energies,
)
from gnomon.cost.energy._unit_prices import event_name, split_units
from gnomon.cost.estimators import ask, names, read_library
from gnomon.sim import Work, split_work_by_function

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

    from gnomon.arch import Architecture
    from gnomon.cost.energy._points import Array
    from gnomon.program import Program
    from gnomon.sim import Run

ESTIMATOR = "estimator"
_UJ_PER_PJ = 1e-6
_PERCENTILES = (5, 95)
_OF_OTHERS = {"rs1_select", "rs2_select", "rd_select", "operation", "immediate", "partial_sum",
              "remainder", "product_sums", "lane_multiplier"}  # fmt: skip
"""Buses that follow from others: from the instruction, or from operands."""


@dataclass(frozen=True, slots=True)
class EventEnergy:
    """Switching energy in µJ of all events of one kind, in all cycles of their slots."""

    event: str
    count: int
    energy_uj: float
    estimated: bool


@dataclass(frozen=True, slots=True)
class Energy(Framed):
    """Energy of one span. ``static`` describes the treatment of static energy."""

    IDLE, OVERLAP, WAITING, RETRY = Event
    """Events in addition to instructions."""

    table: str  # name of the power table
    data: str  # operand values assumed
    clock_hz: int  # of the machine
    wall_cycles: int  # length of the span
    units: Mapping[str, Interval]  # µJ by unit, `clock` last; they sum to `energy_uj`
    # switching energy by event; with that of the clock they sum to `energy_uj`
    events: tuple[EventEnergy, ...]
    # dynamic energy in µJ. Its interval is the union of the 95 % prediction interval of the fit and
    # the 5..95 % range of the alternative price sets.
    energy_uj: Interval
    power_mw: Interval  # mean dynamic power
    spread_mw: Interval  # 5..95 % range over the alternative price sets
    toggles_per_cycle: float | None  # None where an estimator of a package priced the work
    calibrated: tuple[float, float] | None  # activity of the points of the fit, lowest and highest
    static: str  # treatment of static power
    # method of the figures: FPGA-calibrated, gate-level, stated by the user, or an estimator of a
    # package; different kinds or libraries are different technologies
    kind: str = FPGA_CALIBRATED
    library: str = ""  # device of an FPGA-calibrated table, cells of a gate-level one
    working_cycles: int = (
        0  # cycles that the power refers to: more than the span for some functions
    )
    # sources of stated prices, by unit or price; empty for other kinds
    sources: Mapping[str, str] = field(default_factory=dict)
    stale: str = ""  # why the table does not match the current RTL; empty: it does, or needs none

    @classmethod
    def from_work(
        cls,
        work: Work,
        architecture: Architecture,
        *,
        power: str | None = None,
        data: str | None = None,
    ) -> Energy:
        """Price the work of a machine.

        Args:
            work: work of a run, a region or a stage.
            architecture: the machine.
            power: a power table by name or path, or an estimator of a package by name; None: that
                of the machine.
            data: operand values; None: the default of the activity table. A gate-level table uses
                the operands of the run.

        Raises:
            GnomonError: if there is no table, it does not apply to the machine, or an event has no
                price.
        """
        return price_by_clock(work, architecture, power=power, data=data)(architecture)

    def caption(self) -> str:
        """Return a caption with energy, interval, table and operand values."""
        all_uj = self.energy_uj
        return (
            f"{all_uj.value:.4g} µJ {self.what} ({all_uj.low:.4g} to {all_uj.high:.4g}) in"
            f" {self.wall_cycles:,} wall cycles; {self.origin}, {self.data}"
            f" operands; static energy {self.static}"
        )

    def frame(self) -> pd.DataFrame:
        """Return the energy by unit: columns ``unit``, ``energy_uj``, ``low_uj``, ``high_uj``."""
        rows = [(unit, uj.value, uj.low, uj.high) for unit, uj in self.units.items()]
        return typed(("unit", "energy_uj", "low_uj", "high_uj"), rows)

    @property
    def technology(self) -> tuple[str, str]:
        """Kind and library; energies are compared only if both are equal."""
        return self.kind, self.library

    @property
    def origin(self) -> str:
        """Kind, table and library in words, and whether the table is stale."""
        table = f"estimator {self.table}" if self.kind == ESTIMATOR else f"table {self.table}"
        kind = "" if self.kind == ESTIMATOR else f"{self.kind} "
        stale = f"; stale table: {self.stale}" if self.stale else ""
        return f"{kind}{table} ({self.library}){stale}"

    @property
    def what(self) -> str:
        """Content of ``energy_uj`` in words."""
        if self.kind == STATED:
            return "stated"
        return "dynamic and leakage" if self.kind == GATE_LEVEL else "dynamic"

    @property
    def time_us(self) -> float:
        """Wall time in microseconds."""
        return microseconds(self.wall_cycles, self.clock_hz)

    @property
    def energy_delay_uj_us(self) -> Interval:
        """Energy-delay product in µJ µs."""
        return self.energy_uj.scaled(self.time_us, "µJ µs")

    @property
    def extrapolated(self) -> bool:
        """Whether the activity is outside the range of the measured points."""
        if self.calibrated is None or self.toggles_per_cycle is None:
            return False
        low, high = self.calibrated
        return not low <= self.toggles_per_cycle <= high

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        names = (
            "table kind library stale time_us energy_uj power_mw energy_delay_uj_us static"
            " toggles_per_cycle extrapolated spread_mw"
        )
        events = {e.event: json_attributes(e, "count energy_uj estimated") for e in self.events}
        return json_attributes(self, names) | {
            "operands": self.data,
            "working_cycles": max(self.wall_cycles, self.working_cycles),
            "static_uj": to_json_data(self.units.get(LEAKAGE)),
            "calibrated_toggles_per_cycle": to_json_data(self.calibrated),
            "units_uj": to_json_data(self.units),
            "events_uj": events,
            **({"sources": dict(self.sources)} if self.sources else {}),
        }


def price_words_fj(run: Run, architecture: Architecture) -> Array | None:
    """Return the switching energy of each word of the profile in fJ; None: no gate-level table."""
    named = architecture.power
    if named is None or run.profile.buses is None or named in names("energy"):
        return None
    table = load_table(named)
    if not isinstance(table, GateTable):
        return None
    return price_switching_by_word(run, architecture, table) * 1e3


def price_functions(
    run: Run,
    program: Program,
    architecture: Architecture,
    *,
    power: str | None = None,
    data: str | None = None,
) -> dict[str, Energy]:
    """Return the energy of a run by function without what it calls, the largest first.

    They sum to that of the run: sleeping harts next to a function are charged to it, lengths of
    vectors and retries are shared among functions by issues. Counts of events sum to those of the
    run as well, ``IDLE`` less ``OVERLAP``. An estimator of a package prices each function alone.
    The power of a function is its energy over the cycles in which it works (``working_cycles``):
    its vector instructions may outlast the cycles in which it issues.

    Raises:
        GnomonError: as :meth:`Energy.from_work`.
    """
    works = {
        name: work
        for name, work in split_work_by_function(run, program, architecture).items()
        if work.wall_cycles > 0
    }
    if price_accesses(run.work, architecture):
        raise GnomonError(
            f"{run.program} accesses devices with a stated energy, and which function accessed them"
            " is not recorded: its energy by function is unavailable"
        )
    named = architecture.power if power is None else power
    table = None if named is None or named in names("energy") else load_table(named)
    if isinstance(table, PowerTable):
        clock_hz = int(architecture.clock)
        whole, _ = split_units(run.work, architecture)
        split = {name: split_units(work, architecture) for name, work in works.items()}
        rest = {name: work for name, (work, _) in split.items()}
        activities = Activity.of_parts(rest, whole, architecture, table=table.activity, data=data)
        priced = {
            name: _with_units(price(each, table, clock_hz), split[name][1])
            for name, each in activities.items()
        }
    else:
        priced = {
            name: Energy.from_work(work, architecture, power=power, data=data)
            for name, work in works.items()
        }
    found = {
        name: _at_work(each, works[name].working_cycles(architecture))
        for name, each in priced.items()
    }
    return dict(sorted(found.items(), key=lambda each: (-each[1].energy_uj.value, each[0])))


def price_by_clock(
    work: Work, architecture: Architecture, *, power: str | None = None, data: str | None = None
) -> Callable[[Architecture], Energy]:
    """Return the function that prices work on this machine at any clock, devices included.

    Arguments and errors are those of :meth:`Energy.from_work`.
    """
    price_core = _price_core_by_clock(work, architecture, power=power, data=data)
    devices = price_accesses(work, architecture)
    if not devices:
        return price_core
    events = [
        EventEnergy(each.event, each.count, each.energy_uj, estimated=False) for each in devices
    ]
    sources = {f"device {each.device}": each.source for each in devices}

    def price_all(machine: Architecture) -> Energy:
        energy = _with_events(price_core(machine), events, "user-defined devices")
        return replace(energy, sources={**energy.sources, **sources})

    return price_all


def _price_core_by_clock(
    work: Work, architecture: Architecture, *, power: str | None = None, data: str | None = None
) -> Callable[[Architecture], Energy]:
    """Return the function that prices work on this machine at any clock.

    Its argument is the machine with another clock. Arguments and errors are those of
    :meth:`Energy.from_work`. Toggles do not depend on the clock and are counted once, here.
    """
    name = architecture.power if power is None else power
    if name is None:
        raise GnomonError(
            f"{architecture.name} names no power table, so its energy is not known (power:"
            " none; set power to the name of one)"
        )
    if name in names("energy"):
        return partial(_estimated, work, name, data)
    if architecture.core.model == "inorder" and any(work.parked_slots):
        raise GnomonError(
            f"{architecture.name} sleeps for {sum(work.parked_slots):,} of {work.wall_cycles:,}"
            " cycles (wfi), and the energy of a sleeping core is unavailable: no table has it"
        )
    if architecture.memory.caches.dcache is not None:
        raise GnomonError(
            f"{architecture.name} has memory.caches.dcache, and the energy of a data cache is"
            " unavailable: no table has it"
        )
    table = load_table(name)
    if isinstance(table, GateTable):
        return partial(_from_gates, work, table)
    if isinstance(table, StatedTable):
        if data is not None:
            raise GnomonError(f"operand values {data!r}: {NO_OPERANDS.format(table.name)}")
        return partial(_from_stated, work, table)
    rest, units_pj = split_units(work, architecture)
    activity = Activity.from_work(rest, architecture, table=table.activity, data=data)
    return lambda machine: _with_units(price(activity, table, int(machine.clock)), units_pj)


def _estimated(work: Work, name: str, data: str | None, architecture: Architecture) -> Energy:
    """Price work by an estimator of a package."""
    units = ask("energy", name, work, architecture)
    assert units is not None
    if data is not None:
        raise GnomonError(f"operand values {data!r} are for power tables, and {name} is none")
    static = "as the estimator counts it"
    return _summed(
        units, work, architecture, table=name, events=(), data="any", static=static,
        kind=ESTIMATOR, library=read_library("energy", name),
    )  # fmt: skip


def _with_units(energy: Energy, units_pj: Mapping[str, tuple[int, float]]) -> Energy:
    """Add the stated energy of instructions of units, which has no interval.

    It is beyond that of an idle pipeline, which :data:`Energy.IDLE` has for their cycles.
    """
    if not units_pj:
        return energy
    taken = {each.event for each in energy.events}
    events = [
        EventEnergy(event_name(name, taken), count, count * pj * _UJ_PER_PJ, estimated=False)
        for name, (count, pj) in units_pj.items()
    ]
    return _with_events(energy, events, "user-defined units")


def _with_events(energy: Energy, events: list[EventEnergy], part: str) -> Energy:
    """Add stated energies, which have no interval, as a further part."""
    sum_uj = sum(each.energy_uj for each in events)
    per_uj = energy.clock_hz / energy.wall_cycles / 1e3  # mW per µJ
    sum_mw = sum_uj * per_uj
    added_mw = Interval(sum_mw, sum_mw, sum_mw, "mW")
    *others, last = energy.units.items()
    added_uj = Interval(sum_uj, sum_uj, sum_uj, "µJ")
    return replace(
        energy,
        units=dict([*others, (part, added_uj), last]),
        events=(*energy.events, *events),
        energy_uj=energy.energy_uj + added_uj,
        power_mw=energy.power_mw + added_mw,
        spread_mw=energy.spread_mw + added_mw,
    )


def price(activity: Activity, table: PowerTable, clock_hz: int) -> Energy:
    """Price toggles. The clock power of the table scales with the clock.

    Raises:
        GnomonError: if a unit has no price, or the span has 0 cycles.
        AssertionError: if the parts do not sum to the whole; a defect of gnomon.
    """
    if not activity.wall_cycles:
        raise GnomonError("a span of 0 cycles has no power")
    units = activity.units
    seconds = activity.wall_cycles / clock_hz
    prices = table.pj_per_toggle(units)
    toggles = activity.toggles
    unit_uj = toggles * prices * _UJ_PER_PJ
    clock_scale = clock_hz / table.clock
    clock_mw = table.clock_power_mw.value * clock_scale
    clock_uj = clock_mw * seconds * 1e3
    energy_uj = float(unit_uj.sum()) + clock_uj
    power_mw = energy_uj / seconds / 1e3

    spread = _alternatives(activity, table, clock_scale, seconds)
    alternative_mw = spread.sum(axis=1) / seconds / 1e3
    (spread_mw,) = _ranges([power_mw], alternative_mw[:, None], "mW")
    half = _half_width_mw(activity, table, clock_hz)
    low = max(0.0, min(power_mw - half, spread_mw.low))
    power = Interval(power_mw, low, max(power_mw + half, spread_mw.high), "mW")
    *parts_uj, clock = _ranges([*unit_uj.tolist(), clock_uj], spread, "µJ")
    per_mw = clock_scale * seconds * 1e3
    low = min(clock.low, table.clock_power_mw.low * per_mw)
    high = max(clock.high, table.clock_power_mw.high * per_mw)
    parts = dict(zip(units, parts_uj, strict=True)) | {CLOCK: Interval(clock_uj, low, high, "µJ")}
    events = tuple(
        EventEnergy(event.name, event.count, float(dot(event.toggles, prices)) * _UJ_PER_PJ,
                    event.estimated)
        for event in activity.events
    )  # fmt: skip
    lowest, highest = table.fit.toggles_per_cycle
    _check_sum("units", [part.value for part in parts.values()], energy_uj)
    _check_sum("events and clock", [*(e.energy_uj for e in events), clock_uj], energy_uj)
    return Energy(
        table=table.name,
        data=activity.data,
        clock_hz=clock_hz,
        wall_cycles=activity.wall_cycles,
        units=parts,
        events=events,
        energy_uj=power.scaled(seconds * 1e3, "µJ"),
        power_mw=power,
        spread_mw=spread_mw,
        toggles_per_cycle=activity.total_per_cycle,
        calibrated=(lowest, highest),
        static=table.static,
        library=table.library or f"device not stated, table {table.name}",
    )


def _at_work(energy: Energy, cycles: int) -> Energy:
    """Return the same energy with its power relative to ``cycles``, if more than the span."""
    if cycles <= energy.wall_cycles:
        return energy
    part, per_cycle = energy.wall_cycles / cycles, energy.toggles_per_cycle
    return replace(
        energy,
        working_cycles=cycles,
        power_mw=energy.power_mw.scaled(part, "mW"),
        spread_mw=energy.spread_mw.scaled(part, "mW"),
        toggles_per_cycle=None if per_cycle is None else per_cycle * part,
    )


def _summed(
    units: Mapping[str, Interval],
    work: Work,
    architecture: Architecture,
    *,
    toggles: int | None = None,
    energy_uj: Interval | None = None,
    **about: Any,
) -> Energy:
    """Sum energies that are known by unit, from an estimator of a package or from gates.

    Args:
        units: energies by unit.
        work: work of the span.
        architecture: its machine.
        toggles: toggles on buses.
        energy_uj: their sum, if its interval is not the sum of theirs.
        about: further fields.
    """
    if not work.wall_cycles:
        raise GnomonError("a span of 0 cycles has no power")
    clock_hz = int(architecture.clock)
    if energy_uj is None:
        energy_uj = sum(units.values(), Interval(0, 0, 0, "µJ"))
    power_mw = energy_uj.scaled(clock_hz / work.wall_cycles / 1e3, "mW")
    return Energy(
        clock_hz=clock_hz,
        wall_cycles=work.wall_cycles,
        units=units,
        energy_uj=energy_uj,
        power_mw=power_mw,
        spread_mw=power_mw,
        toggles_per_cycle=None if toggles is None else toggles / work.wall_cycles,
        calibrated=None,
        **about,
    )


def _from_gates(work: Work, table: GateTable, architecture: Architecture) -> Energy:
    units, events = compute_gate_energies(work, architecture, table)
    spent = tuple(EventEnergy(name, *each, estimated=False) for name, each in events.items())
    own_uw = sum(each.energy.leakage_uw for each in table.gate_units(architecture))
    static = f"included: leakage of {table.leakage_uw.value + own_uw:g} µW, {table.library}"
    toggles = sum(each.toggles for bus, each in work.buses.items() if bus not in _OF_OTHERS)
    energy = _summed(units, work, architecture, toggles=toggles, table=table.name, events=spent,
                     energy_uj=sum_energies(units, table), data="counted", static=static,
                     kind=GATE_LEVEL, library=table.library,
                     stale=table.why_stale(architecture))  # fmt: skip
    others = [units[name].value for name in NOT_OF_UNITS if name in units]
    parts = [*(each.energy_uj for each in spent), *others]
    _check_sum("events, clock, wires and leakage", parts, energy.energy_uj.value)
    return energy


def _from_stated(work: Work, table: StatedTable, architecture: Architecture) -> Energy:
    units, events = compute_stated_energies(work, architecture, table)
    spent = tuple(EventEnergy(name, *each, estimated=False) for name, each in events.items())
    energy = _summed(units, work, architecture, table=table.name, events=spent, data="any",
                     static=table.static, kind=STATED, library=table.library,
                     sources=table.sources())  # fmt: skip
    leakage = units[LEAKAGE].value if LEAKAGE in units else 0.0
    parts = [*(each.energy_uj for each in spent), leakage]
    _check_sum("events and leakage", parts, energy.energy_uj.value)
    return energy


def _alternatives(
    activity: Activity, table: PowerTable, clock_scale: float, seconds: float
) -> Array:
    """Return the energies in µJ of all alternative price sets, shape (sets, units + clock)."""
    prices, clock_mw = table.alternatives.prices(activity.units)
    switching = prices * activity.toggles * _UJ_PER_PJ
    return np.hstack([switching, clock_mw[:, None] * clock_scale * seconds * 1e3])


def _ranges(values: Sequence[float], alternatives: Array, unit: str) -> list[Interval]:
    """Return each value with the range of its column of alternatives."""
    if not len(alternatives):
        return [Interval(value, value, value, unit) for value in values]
    # np.percentile imports numpy.ma at its first call, which takes longer than all the pricing.
    ordered = np.sort(alternatives, axis=0)
    places = (len(ordered) - 1) * np.array(_PERCENTILES) / 100
    ranks = np.arange(len(ordered))
    ends = np.array([np.interp(places, ranks, column) for column in ordered.T])
    return [
        Interval(value, min(low, value), max(high, value), unit)
        for value, (low, high) in zip(values, ends.tolist(), strict=True)
    ]


def _half_width_mw(activity: Activity, table: PowerTable, clock_hz: int) -> float:
    """Return half of the 95 % prediction interval, from parameters and residuals, in mW."""
    groups = {name: tuple(group.units) for name, group in table.energy_pj_per_toggle.items()}
    no_power = np.zeros(1)
    point = Points(("",), activity.units, activity.per_cycle()[None, :], no_power, clock_hz)
    row = point.design(groups)[0]
    row[0] = clock_hz / table.clock
    fit = table.fit
    variance = float(dot(dot(np.array(fit.covariance), row), row))
    variance += (fit.residual_mw * row[0]) ** 2
    quantile = fit.student_quantile or student_quantile(0.975, fit.degrees_of_freedom)
    return quantile * math.sqrt(variance)


def _check_sum(what: str, parts: Sequence[float], whole: float) -> None:
    if not math.isclose(math.fsum(parts), whole, rel_tol=1e-9):
        raise AssertionError(f"energy accounting is wrong: {what} sum to {math.fsum(parts)} µJ,"
                             f" the whole is {whole} µJ")  # fmt: skip
