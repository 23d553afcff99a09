"""What a run takes by a gate-level table: values and toggles counted, times what they cost."""

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.cost.energy._activity import check_conditions
from gnomon.cost.energy._gate_table import CLOCK, LEAKAGE, TREE, WIRES, GateTable, MemoryKeys
from gnomon.sim import Run, Work


def gate_energies(
    work: Work, architecture: Architecture, table: GateTable
) -> tuple[dict[str, Interval], dict[str, tuple[int, float]]]:
    """µJ by unit, memory, clock and leakage; and by bus and memory how much of what, and its µJ.

    A cycle takes the same energy at every clock that the netlist reaches, at the voltage of the
    table; leakage goes by time.

    Raises:
        GnomonError: the table is of another machine or of a slower one, or toggles were not
            counted.
    """
    check_conditions(f"gate-level table {table.name}", table.conditions, architecture)
    period_ns = 1e9 / int(architecture.clock)
    if table.path_ns is not None and period_ns < table.path_ns:
        raise GnomonError(
            f"gate-level table {table.name}: its gates take {table.path_ns:g} ns from flip-flop to"
            f" flip-flop, and a clock of {int(architecture.clock) / 1e6:g} MHz leaves"
            f" {period_ns:g} ns (clock: at most {1e3 / table.path_ns:.0f} MHz)"
        )
    if not work.buses:
        raise GnomonError(
            f"gate-level table {table.name} prices operand toggles, and this run did not count"
            " them: simulate(..., toggles=0) does, and every run of a machine that names the table"
        )
    cycles, nothing = work.wall_cycles, Interval(0.0, 0.0, 0.0, "µJ")
    units = {
        name: nothing if keys.cycle is None else keys.cycle.times(cycles)
        for name, keys in table.units.items()
    }
    events = {"cycle": (cycles, sum(each.value for each in units.values()))}
    for unit, bus, per_value, per_toggle in table.bus_prices():
        seen = work.buses[bus]
        uj = per_value.times(seen.values) + per_toggle.times(seen.toggles)
        units[unit] += uj
        events[bus] = (seen.values, events.get(bus, (0, 0.0))[1] + uj.value)
    for name, memory in table.memories.items():
        reads = _reads(memory, work)
        writes = work.buses[memory.writes].values
        units[name] = memory.read.times(reads) + memory.write.times(writes)
        events[name] = (reads + writes, units[name].value)
    seconds = cycles / int(architecture.clock)
    if table.stated is not None:
        wires = nothing
        for name, ratio in table.stated.wires.items():
            uj = units[name]
            ends = (uj.value * ratio.value, uj.low * ratio.low, uj.high * ratio.high)
            wires += Interval(*ends, "µJ")
        units[WIRES], units[TREE] = wires, table.stated.clock_tree.times(cycles)
    units[CLOCK] = table.clock_pj.times(cycles)
    units[LEAKAGE] = table.leakage_uw.times(seconds * 1e6)  # µW s are µJ
    return units, events


def _reads(memory: MemoryKeys, work: Work) -> int:
    if memory.read_enable == "cycle":
        return memory.macros * work.wall_cycles
    return work.buses[memory.reads].values


def switching_by_word(run: Run, table: GateTable) -> npt.NDArray[np.float64]:
    """PJ that each word of the profile's text has switched at its units, and in memories."""
    buses = run.profile.buses
    assert buses is not None
    price = np.zeros((2, len(Work.BUSES)))
    for _, bus, per_value, per_toggle in table.bus_prices():
        price[:, Work.BUSES.index(bus)] += per_value.value, per_toggle.value
    for memory in table.memories.values():
        if memory.read_enable == "access":
            price[0, Work.BUSES.index(memory.reads)] += memory.read.value
        price[0, Work.BUSES.index(memory.writes)] += memory.write.value
    return np.asarray(buses @ price.ravel(), dtype=np.float64)
