"""Delays and energies of a netlist's nets from the tables of the library.

Of a cell with several inputs the mean of their tables stands for each in delays and slews; energies
are by the input that causes the edge. Wires and the clock tree have no capacitance here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.rtl.gates._liberty import EDGES, Library, Table, look_up
from gnomon.rtl.gates._netlist import MEMORY, Instance, Netlist

INPUT_SLEW_NS = 0.1
"""Of ports, memories and the clock."""
_OF_MEMORY = ("read_data", "second_data")

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Timed:
    """A netlist with what each edge of a net takes; arrays have a row for rise and one for fall.

    ``energy_pj`` has a column for each input of the cell that drives a net, from ``first_arc`` on.
    """

    cells: tuple[Instance, ...]  # in topological order
    flip_flops: tuple[Instance, ...]
    memories: tuple[Instance, ...]
    units: tuple[str, ...]
    unit_of_net: npt.NDArray[np.int32]
    delay_ps: npt.NDArray[np.int32]
    energy_pj: Numbers
    first_arc: npt.NDArray[np.int32]
    clock_pj: Numbers  # of each unit and cycle
    leakage_nw: Numbers  # of each unit
    path_ps: int  # the longest, with the setup time behind it


def timed(netlist: Netlist, library: Library) -> Timed:
    """Price every net.

    Raises:
        GnomonError: cells form a loop.
    """
    known = library.cells
    memories = tuple(each for each in netlist.instances if each.kind == MEMORY)
    flip_flops = tuple(i for i in netlist.instances if i.kind in known and known[i.kind].clock)
    cells = tuple(i for i in netlist.instances if i.kind in known and not known[i.kind].clock)
    count = 2 + max(
        [net for each in netlist.instances for nets in each.nets.values() for net in nets]
        + [net for nets in netlist.ports.values() for net in nets]
    )
    units = ("ports", *sorted({each.unit for each in netlist.instances}))
    place = {unit: k for k, unit in enumerate(units)}
    sinks: list[list[tuple[Instance, str]]] = [[] for _ in range(count)]
    load, unit_of_net = [0.0] * count, np.zeros(count, dtype=np.int32)
    clock, leakage = np.zeros(len(units)), np.zeros(len(units))
    for each in (*cells, *flip_flops):
        cell = known[each.kind]
        for pin in cell.inputs:
            (net,) = each.nets[pin]
            sinks[net].append((each, pin))
            load[net] += cell.capacitance_pf[pin]
        unit_of_net[each.nets[cell.output][0]] = place[each.unit]
        leakage[place[each.unit]] += cell.leakage_nw
        if cell.clock:
            clock[place[each.unit]] += cell.capacitance_pf[cell.clock] * library.volt**2 + sum(
                look_up(table, 0, INPUT_SLEW_NS)
                for tables in cell.passive_pj[cell.clock].values() for table in tables
            )  # fmt: skip
    for each in memories:
        for pin in _OF_MEMORY:
            unit_of_net[list(each.nets[pin])] = place[each.unit]
    slew, arrival = np.full((2, count), INPUT_SLEW_NS), np.zeros(count)
    delay = np.ones((2, count), dtype=np.int32)
    inside = [[[0.0]] * len(EDGES) for _ in range(count)]  # of the cell that drives, by input
    order = _ordered(cells, library, sinks, count)
    for each in (*flip_flops, *order):
        cell = known[each.kind]
        (out,) = each.nets[cell.output]
        ins = [each.nets[pin][0] for pin in cell.inputs]
        came = INPUT_SLEW_NS if cell.clock else float(slew[:, ins].mean())
        for row, edge in enumerate(EDGES):
            took = _mean(cell.delay_ns[edge], load[out], came)
            slew[row, out] = _mean(cell.slew_ns[edge], load[out], came)
            inside[out][row] = [
                _mean(tables, load[out], float(slew[:, each.nets[pin]].mean()))
                for pin, tables in cell.energy_pj[edge].items()
            ]
            delay[row, out] = max(1, round(took * 1000))
        before = 0 if cell.clock else arrival[ins].max()
        arrival[out] = before + delay[:, out].max()
    arcs: tuple[list[float], ...] = ([], [])
    first_arc = np.zeros(count, dtype=np.int32)
    for net in range(count):
        first_arc[net] = len(arcs[0])
        for row, edge in enumerate(EDGES):
            outside = load[net] * library.volt**2 / 2 + sum(
                _mean(known[each.kind].passive_pj[pin][edge], 0, slew[row, net])
                for each, pin in sinks[net]
            )
            arcs[row].extend(outside + energy for energy in inside[net][row])
    setup = max((known[each.kind].setup_ns for each in flip_flops), default=0.0)
    return Timed(
        order, flip_flops, memories, units, unit_of_net, delay, np.array(arcs), first_arc, clock,
        leakage, int(arrival.max() + setup * 1000),
    )  # fmt: skip


def _mean(tables: Sequence[Table], load_pf: float, slew_ns: float) -> float:
    return sum(look_up(table, load_pf, slew_ns) for table in tables) / max(len(tables), 1)


def _ordered(
    cells: tuple[Instance, ...],
    library: Library,
    sinks: list[list[tuple[Instance, str]]],
    count: int,
) -> tuple[Instance, ...]:
    """Cells, each behind those that drive it."""
    driven = np.zeros(count, dtype=bool)
    for each in cells:
        driven[each.nets[library.cells[each.kind].output][0]] = True
    missing = {
        id(each): sum(bool(driven[each.nets[pin][0]]) for pin in library.cells[each.kind].inputs)
        for each in cells
    }
    order = [each for each in cells if not missing[id(each)]]
    for each in order:
        for sink, _ in sinks[each.nets[library.cells[each.kind].output][0]]:
            if id(sink) in missing:
                missing[id(sink)] -= 1
                if not missing[id(sink)]:
                    order.append(sink)
    if len(order) != len(cells):
        raise GnomonError(f"{len(cells) - len(order)} cells of the netlist form loops")
    return tuple(order)
