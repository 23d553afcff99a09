"""Gate-level tables: energies of values and toggles on the buses of a machine in a cell library.

A table is fitted to gate simulation (``gate_fit.py``). It multiplies the counts of a run, so it
needs no assumption about operands. It prices one machine in one library (``gate_machine.py``).
FPGA-calibrated tables are another kind; gnomon never adds or ranks figures of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, PlainValidator, field_validator, model_validator

from gnomon.arch import Architecture, is_gate_level, power_table, power_table_names
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.interval import Interval
from gnomon.base.schema import ProblemAt, Section, Version, given, key, version_key
from gnomon.base.sums import dot
from gnomon.base.tables import check_table, read_yaml_table
from gnomon.base.units import Hertz, parse_frequency
from gnomon.cost.energy._power_table import Price
from gnomon.cost.energy._power_table import Text as _Text
from gnomon.cost.energy._unit_prices import GateUnit, find_gate_units
from gnomon.cost.energy.gate_machine import (
    RtlKeys,
    Stated,
    check_machine,
    check_statement,
    explain_stale,
)
from gnomon.sim import BUSES, Run, Work

GATE_LEVEL = "gate-level"
CLOCK, TREE, WIRES, LEAKAGE = NOT_OF_UNITS = ("clock", "clock tree", "wires", "leakage")
WITH_SELECTS = "instruction with register selects"
"""Event of the instruction bus of a table whose fit does not tell selects from other bits."""
_SELECTS = ("rs1_select", "rs2_select", "rd_select")
_LARGEST_PJ = 10_000.0
_Pj = Annotated[float, Field(ge=0, le=_LARGEST_PJ)]


class Pj(Price):
    """An energy with its 95 % interval."""

    value: _Pj = key("energy", unit="pJ", allowed="0 to 10000")
    low: _Pj = key("lower end of its 95 % interval", unit="pJ", allowed="0 to 10000")
    high: _Pj = key("upper end", unit="pJ", allowed="0 to 10000")

    def times(self, count: float) -> Interval:
        """Return the energy of ``count`` events in µJ."""
        return Interval(self.value, self.low, self.high).scaled(count * 1e-6, "µJ")


_PJ_BY_BUS = dict[str, Pj]


class UnitKeys(Section):
    """Energies of one unit of the netlist, without clock, leakage and memories."""

    cycle: Pj | None = key("energy per cycle", default=None)
    value: _PJ_BY_BUS = key("energy per value on a bus", default={}, allowed="energies by bus")
    toggle: _PJ_BY_BUS = key(
        "energy per bit that differs from the previous value", default={},
        allowed="energies by bus",
    )  # fmt: skip

    @field_validator("value", "toggle")
    @classmethod
    def _known(cls, prices: _PJ_BY_BUS) -> _PJ_BY_BUS:
        for bus in prices:
            if bus not in BUSES:
                raise ProblemAt(bus, f"is not a counted bus {allowed_hint(bus, BUSES, 'buses')}")
        return prices


class MemoryKeys(Section):
    """SRAM macros."""

    read_enable: Literal["access", "cycle"] = key(
        "when macros read: on an access, or all of them in every cycle"
    )
    macros: int = key("number of macros", ge=1, le=4096)
    read: Pj = key("energy of a read of one macro")
    write: Pj = key("energy of a write of one macro")
    reads: Literal["scratchpad_read", "load_data"] = key("bus of values read")
    writes: Literal["scratchpad_write", "store_data"] = key("bus of values written")


class ClockKeys(Section):
    """Clock pins of flip-flops, and the clock tree."""

    gating: Literal["ungated", "gated"] = key("which of the two figures applies")
    ungated: Pj = key("energy of a cycle with the clock at every flip-flop")
    gated: Pj = key("energy of a cycle with the clock only at written flip-flops")


class RatioKeys(Price):
    """A ratio with an interval from a stated model."""

    value: float = key("energy of wires over that of the unit", ge=0, le=1000)
    low: float = key("lower end", ge=0, le=1000)
    high: float = key("upper end", ge=0, le=1000)


class ScaleKeys(Price):
    """A range of measured over priced energy."""

    value: float = key("1", ge=0, le=1000)
    low: float = key("lower end", ge=0, le=1000)
    high: float = key("upper end", ge=0, le=1000)


class FitKeys(Section):
    """What the training programs tell apart, and how far prices miss programs without them."""

    terms: int = key("terms that occur in the training programs", ge=1)
    rank: int = key("rank of their counts", ge=1)
    condition: float = key("condition of their counts, each scaled to length 1", ge=1)
    same: dict[str, list[str]] = key(
        "terms that count alike in all training programs, by the one that has their energy",
        allowed="lists of terms by term",
        default={},
    )
    energy: ScaleKeys = key(
        "measured over priced energy of the data path, of compiled training programs that a"
        " bootstrap draw left out: 95 % of them"
    )
    energy_of_units: dict[str, ScaleKeys] = key("the same by unit", allowed="ratios by unit")


class StatedKeys(Section):
    """Energies that are not simulated, from a stated model with intervals of its constants."""

    wires: dict[str, RatioKeys] = key(
        "wires before placement, by unit of the netlist", allowed="ratios by unit"
    )
    clock_tree: Pj = key("energy per cycle of buffers and wires of the clock tree, not gated")


class GateRunKeys(Section):
    """Provenance of the figures."""

    netlist: _Text = key("SHA-256 of the netlist")
    rtl: RtlKeys | None = key("RTL sources of the netlist", default=None)
    parameters: dict[str, int | str] = key(
        "parameters of the top module; with the sources they decide whether the table is stale",
        allowed="values by name",
        default={},
    )
    liberty: _Text | None = key("SHA-256 of the file of cells", default=None)
    yosys: _Text | None = key("version of yosys that synthesized the netlist", default=None)
    windows: _Text = key("SHA-256 of the energies by window and unit")
    command: _Text = key("command that generates both")
    training: list[str] = key("programs of the fit", allowed="list of names")
    held_out: list[str] = key("programs left out of the fit", allowed="list of names")


class GateErrorKeys(Section):
    """Energy errors of programs left out of the fit, without clock and memories."""

    median_percent: float = key("median error of the table", unit="%", ge=0, le=1e6)
    worst_percent: float = key("largest error of the table", unit="%", ge=0, le=1e6)
    class_only_median_percent: float = key(
        "median error of a table by instruction class, on the same runs", unit="%", ge=0, le=1e6
    )
    constant_median_percent: float = key(
        "median error of a constant per cycle", unit="%", ge=0, le=1e6
    )


class GateTable(Section):
    """One file of kind gate-level."""

    schema_version: Version = version_key()
    kind: Literal["gate-level"] = key("method of its figures")
    name: _Text = key("name of the table")
    title: _Text = key("one-line title")
    source: _Text = key("source and coverage of the simulated energies")
    library: _Text = key("cell library with corner, voltage and temperature")
    machine: dict[str, list[Stated]] = key(
        "every machine key that decides a netlist, with the values of this one",
        allowed="lists of values by dotted key",
    )
    clock_hz: Annotated[Hertz, PlainValidator(given(parse_frequency))] = key(
        "clock of the simulation", alias="clock", unit="Hz", allowed="such as 100 MHz"
    )
    gate_run: GateRunKeys = key("provenance of the figures")
    clock_tree: ClockKeys = key("energy of the clock")
    path_ns: float | None = key(
        "longest path without wires, which limits the clock; default: the clock of the simulation"
        " is the limit",
        unit="ns",
        gt=0,
        le=1e6,
        default=None,
    )
    fit: FitKeys | None = key(
        "the fit; without it, intervals of totals are sums of those of prices", default=None
    )
    stated: StatedKeys | None = key("energies that are not simulated", default=None)
    leakage_uw: Pj = key("leakage of all cells and macros", unit="µW")
    units: dict[str, UnitKeys] = key("energies by unit of the netlist", allowed="units by name")
    memories: dict[str, MemoryKeys] = key("SRAM by name", default={}, allowed="memories by name")
    errors: GateErrorKeys = key("errors at programs left out of the fit")

    @field_validator("machine")
    @classmethod
    def _whole(cls, machine: dict[str, list[Stated]]) -> dict[str, list[Stated]]:
        check_statement(machine)
        return machine

    @model_validator(mode="after")
    def _apart(self) -> GateTable:
        for name in self.units:
            if name in {*self.memories, *NOT_OF_UNITS}:
                raise ProblemAt(f"units.{name}", "is also the name of a memory or another part")
        for name in self.fit.energy_of_units if self.fit else ():
            if name not in self.units:
                raise ProblemAt(f"fit.energy_of_units.{name}", "is not a unit of the table")
        for name in self.stated.wires if self.stated else ():
            if name not in self.units:
                raise ProblemAt(f"stated.wires.{name}", "is not a unit of the table")
        return self

    def why_stale(self, architecture: Architecture) -> str:
        """Return why the current RTL differs from the table's; empty: equal, or a user's RTL."""
        run = self.gate_run
        return explain_stale(run.rtl, run.parameters, architecture)

    def gate_units(self, architecture: Architecture) -> tuple[GateUnit, ...]:
        """Return the user-defined units of a machine with their energies in this library.

        Raises:
            GnomonError: if the energy of a unit in this library is unavailable.
        """
        return find_gate_units(
            architecture, self.name, self.library, self.gate_run.liberty, self.clock_tree.gating
        )

    def bus_prices(self) -> Iterator[tuple[str, str, Pj, Pj]]:
        """Yield unit, bus, and the energies of a value and of a toggle there."""
        nothing = Pj(value=0.0, low=0.0, high=0.0)
        for unit, keys in self.units.items():
            for bus in BUSES:
                if bus in keys.value or bus in keys.toggle:
                    yield unit, bus, keys.value.get(bus, nothing), keys.toggle.get(bus, nothing)

    @property
    def clock_pj(self) -> Pj:
        """Energy of the clock per cycle."""
        tree = self.clock_tree
        return tree.gated if tree.gating == "gated" else tree.ungated


@cache
def load_gate_table(path: Path) -> GateTable | None:
    """Load a table; None: it is of another kind.

    Raises:
        GnomonError: if keys are missing, unknown or implausible, each with its line.
    """
    table = read_yaml_table(path, "power table") if is_gate_level(path) else None
    return None if table is None else check_table(table, GateTable)


def list_core_paths(library: str, liberty: str) -> dict[str, float]:
    """Return the longest paths in ns of the netlists of all tables of a cell library, by table.

    Args:
        library: cell library with voltage.
        liberty: SHA-256 of its file.
    """
    found = {}
    for name in power_table_names():
        table = load_gate_table(power_table(name))
        if table is None or table.path_ns is None:
            continue
        if table.library == library and table.gate_run.liberty in (None, liberty):
            found[name] = table.path_ns
    return found


def compute_gate_energies(
    work: Work, architecture: Architecture, table: GateTable
) -> tuple[dict[str, Interval], dict[str, tuple[int, float]]]:
    """Return energies in µJ by part, and counts with their µJ by event.

    Parts are units, memories, wires, clock and leakage; events are cycles, buses and memories. The
    energy of a cycle is the same at every clock that the netlist reaches, at the voltage of the
    table. Leakage scales with time.

    Raises:
        GnomonError: if the table does not apply to the machine, the clock is too fast, or the run
            did not count toggles.
    """
    check_machine(f"gate-level table {table.name}", table.machine, architecture)
    period_ns, fastest_ns = 1e9 / int(architecture.clock), 1e9 / int(table.clock_hz)
    if period_ns < (table.path_ns or fastest_ns):
        why = (
            f"its gates take {table.path_ns:g} ns from flip-flop to flip-flop"
            if table.path_ns
            else f"its gates were simulated with a clock of {int(table.clock_hz) / 1e6:g} MHz, and"
            " its longest path is not recorded"
        )
        raise GnomonError(
            f"gate-level table {table.name}: {why}, and a clock of"
            f" {int(architecture.clock) / 1e6:g} MHz leaves {period_ns:g} ns"
            f" (clock: at most {1e3 / (table.path_ns or fastest_ns):.0f} MHz)"
        )
    if not work.buses:
        raise GnomonError(
            f"gate-level table {table.name} prices operand toggles, and this run did not count"
            " them: simulate(..., toggles=0) does, and every run of a machine that names the table"
        )
    own = table.gate_units(architecture)
    cycles, nothing = work.wall_cycles, Interval(0.0, 0.0, 0.0, "µJ")
    units = {
        name: nothing if keys.cycle is None else keys.cycle.times(cycles)
        for name, keys in table.units.items()
    }
    events = {"cycle": (cycles, sum(each.value for each in units.values()))}
    prices = tuple(table.bus_prices())
    whole = () if any(bus in _SELECTS for _, bus, *_ in prices) else ("instruction",)
    for unit, bus, per_value, per_toggle in prices:
        seen = work.buses[bus]
        uj = per_value.times(seen.values) + per_toggle.times(seen.toggles)
        units[unit] += uj
        event = WITH_SELECTS if bus in whole else bus
        events[event] = (seen.values, events.get(event, (0, 0.0))[1] + uj.value)
    for name, range_ in table.fit.energy_of_units.items() if table.fit else ():
        units[name] = units[name].spread(range_.low, range_.high)
    for name, memory in table.memories.items():
        reads = _count_reads(memory, work)
        writes = work.buses[memory.writes].values
        units[name] = memory.read.times(reads) + memory.write.times(writes)
        events[name] = (reads + writes, units[name].value)
    for each in own:
        units[each.part] = each.data_uj(work)
        each.add_events(work, events)
    seconds = cycles / int(architecture.clock)
    if table.stated is not None:
        wires = nothing
        for name, ratio in table.stated.wires.items():
            uj = units[name]
            ends = (uj.value * ratio.value, uj.low * ratio.low, uj.high * ratio.high)
            wires += Interval(*ends, "µJ")
        tree = table.stated.clock_tree.times(cycles)
        units[WIRES] = sum((each.wires_uj(work) for each in own), wires)
        units[TREE] = sum((each.clock_tree_uj(cycles) for each in own), tree)
    units[CLOCK] = sum((each.clock_uj(cycles) for each in own), table.clock_pj.times(cycles))
    leakage = table.leakage_uw.times(seconds * 1e6)  # µW s are µJ
    units[LEAKAGE] = sum((each.leakage_uj(seconds) for each in own), leakage)
    return units, events


def sum_energies(units: Mapping[str, Interval], table: GateTable) -> Interval:
    """Return the energy of all parts in µJ; that of the data path has an interval of its own.

    Args:
        units: energies of :func:`compute_gate_energies`.
        table: the table that priced them.
    """
    nothing = Interval(0.0, 0.0, 0.0, "µJ")
    data = sum((units[name] for name in table.units), nothing)
    if table.fit is not None:
        data = data.spread(table.fit.energy.low, table.fit.energy.high)
    return sum((uj for name, uj in units.items() if name not in table.units), data)


def _count_reads(memory: MemoryKeys, work: Work) -> int:
    if memory.read_enable == "cycle":
        return memory.macros * work.wall_cycles
    return work.buses[memory.reads].values


def price_switching_by_word(
    run: Run, architecture: Architecture, table: GateTable
) -> npt.NDArray[np.float64]:
    """Return the switching energy of each word of the profile in units and memories, in pJ."""
    buses = run.profile.buses
    assert buses is not None
    price = np.zeros((2, len(BUSES)))
    for _, bus, per_value, per_toggle in table.bus_prices():
        price[:, BUSES.index(bus)] += per_value.value, per_toggle.value
    for memory in table.memories.values():
        if memory.read_enable == "access":
            price[0, BUSES.index(memory.reads)] += memory.read.value
        price[0, BUSES.index(memory.writes)] += memory.write.value
    found = dot(buses, price.ravel())
    for each in table.gate_units(architecture):
        found += each.by_word_pj(run, architecture)
    return found
