"""Delays and energies of the nets of a netlist, from the tables of the library.

Delays and slews of a cell are the means over its inputs. Energies depend on the input that causes
the edge and, if the library states so, on the state of the cell. The energy of an input edge
without an output edge is the mean over the states. Wires and the clock tree have no capacitance
here; ``_wires.py`` models both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from statistics import fmean

import numpy as np
import numpy.typing as npt

from gnomon.gates._liberty import EDGES, Arc, Cell, Library, energies, look_up
from gnomon.gates._netlist import Instance, Netlist
from gnomon.rtl.designs import MEMORY

INPUT_SLEW_NS = 0.1
"""Slew of ports, memories and the clock in ns."""
_OF_MEMORY = ("read_data", "second_data")

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Timed:
    """A netlist with delay and energy of each edge; arrays have rows for rise and for fall."""

    cells: tuple[Instance, ...]  # in topological order
    flip_flops: tuple[Instance, ...]
    memories: tuple[Instance, ...]
    units: tuple[str, ...]
    unit_of_net: npt.NDArray[np.int32]
    delay_ps: npt.NDArray[np.int32]
    # Energy of edges; `energy_at` is the start of a net: by input of its driver, then by state.
    energy_pj: Numbers
    energy_at: npt.NDArray[np.int32]  # by net
    energy_states: npt.NDArray[np.uint8]  # by net: number of states, less one
    clock_pj: Numbers  # by flip-flop, in a cycle, by D and 2 x Q before its edge
    word_of: npt.NDArray[np.int32]  # by flip-flop: word that one clock gate would serve
    word_pj: Numbers  # by word: its clock pins in a cycle without a change
    leakage_nw: Numbers  # by unit
    sinks: npt.NDArray[np.int32]  # by net: number of inputs of cells and flip-flops
    path_ps: int  # longest path, with setup time


def timed(netlist: Netlist, library: Library) -> Timed:
    """Compute delay and energy of every net."""
    known = library.cells
    memories = tuple(each for each in netlist.instances if each.kind == MEMORY)
    flip_flops = tuple(i for i in netlist.instances if i.kind in known and known[i.kind].clock)
    cells = tuple(i for i in netlist.instances if i.kind in known and not known[i.kind].clock)
    count = 2 + max(net for nets in netlist.all_nets() for net in nets)
    units = ("ports", *sorted({each.unit for each in netlist.instances}))
    place = {unit: k for k, unit in enumerate(units)}
    sinks: list[list[tuple[Instance, str]]] = [[] for _ in range(count)]
    load, unit_of_net = [0.0] * count, np.zeros(count, dtype=np.int32)
    leakage = np.zeros(len(units))
    clock = np.array([_clock_pj(known[each.kind], library.volt) for each in flip_flops])
    words = {each: k for k, each in enumerate(dict.fromkeys(each.word for each in flip_flops))}
    word_of = np.array([words[each.word] for each in flip_flops], dtype=np.int32)
    word_pj = np.zeros(len(words))
    np.add.at(word_pj, word_of, clock[:, 0] if len(clock) else 0.0)
    for each in (*cells, *flip_flops):
        cell = known[each.kind]
        for pin in cell.loads:
            (net,) = each.nets[pin]
            sinks[net].append((each, pin))
            load[net] += cell.capacitance_pf[pin]
        unit_of_net[each.nets[cell.output][0]] = place[each.unit]
        leakage[place[each.unit]] += cell.leakage_nw
    for each in memories:
        for pin in _OF_MEMORY:
            unit_of_net[list(each.nets.get(pin, ()))] = place[each.unit]
    slew, arrival = np.full((2, count), INPUT_SLEW_NS), np.zeros(count)
    delay = np.ones((2, count), dtype=np.int32)
    energy, states = [([0.0], [0.0])] * count, np.ones(count, dtype=np.int64)
    order = _sort_cells(cells, library, sinks)
    for each in (*flip_flops, *order):
        cell = known[each.kind]
        (out,) = each.nets[cell.output]
        ins = [each.nets[pin][0] for pin in cell.inputs]
        came = INPUT_SLEW_NS if cell.clock else float(slew[:, ins].mean())
        for row, edge in enumerate(EDGES):
            took, slew[row, out] = (
                sum(look_up(table, load[out], came) for table in tables) / max(1, len(tables))
                for tables in (cell.delay_ns[edge], cell.slew_ns[edge])
            )
            delay[row, out] = max(1, round(took * 1000))
        slews = [float(slew[:, each.nets[pin]].mean()) for pin in cell.inputs]
        energy[out], states[out] = _cell_energies(cell, load[out], slews)
        before = 0 if cell.clock else arrival[ins].max()
        arrival[out] = before + delay[:, out].max()
    further = np.zeros((2, count))
    for net in range(2, count):
        for row, edge in enumerate(EDGES):
            further[row, net] = load[net] * library.volt**2 / 2 + sum(
                fmean(energies(arcs, known[each.kind].states, 0, slew[row, net]))
                for each, pin in sinks[net]
                if (arcs := known[each.kind].passive_pj[pin][edge])
            )
    lengths = np.array([len(rise) for rise, _ in energy])
    energy_pj = np.array([[value for each in energy for value in each[row]] for row in (0, 1)])
    energy_pj += np.repeat(further, lengths, axis=1)
    setup = max((known[each.kind].setup_ns for each in flip_flops), default=0.0)
    return Timed(
        order, flip_flops, memories, units, unit_of_net, delay, energy_pj,
        (np.cumsum(lengths) - lengths).astype(np.int32), (states - 1).astype(np.uint8), clock,
        word_of, word_pj, leakage, np.array([len(each) for each in sinks], dtype=np.int32),
        int(arrival.max() + setup * 1000),
    )  # fmt: skip


def has_loop(order: Sequence[Instance], library: Library) -> bool:
    """Return whether the cells of :func:`timed` form a combinational loop, which may oscillate."""
    waiting = {each.nets[library.cells[each.kind].output][0] for each in order}
    for each in order:
        cell = library.cells[each.kind]
        if any(each.nets[pin][0] in waiting for pin in cell.inputs):
            return True
        waiting.remove(each.nets[cell.output][0])
    return False


def _cell_energies(
    cell: Cell, load_pf: float, slews_ns: Sequence[float]
) -> tuple[tuple[list[float], list[float]], int]:
    """Return energies of rise and fall of the output by input and state, and the state count."""
    if cell.clock:
        causes, slews_ns, count = [cell.clock], [INPUT_SLEW_NS], cell.states
    else:
        causes, count = list(cell.inputs), cell.states
    rise, fall = (
        [energies(_arcs_of_input(cell.energy_pj[edge], pin), count, load_pf, slew_ns)
         for pin, slew_ns in zip(causes, slews_ns, strict=True)]
        for edge in EDGES
    )  # fmt: skip
    if cell.clock or all(len(set(each)) == 1 for each in (*rise, *fall)):
        return ([fmean(each) for each in rise], [fmean(each) for each in fall]), 1
    return (list(chain(*rise)), list(chain(*fall))), count


def _arcs_of_input(arcs: Sequence[Arc], pin: str) -> Sequence[Arc]:
    """Return the arcs of an input, or all arcs if the library has none for it."""
    return [arc for arc in arcs if pin in arc[0].split()] or arcs


def _clock_pj(cell: Cell, volt: float) -> list[float]:
    """Return the energy of the clock pin per cycle, by D and 2 x Q before the rising edge."""
    rise, fall = (
        energies(cell.passive_pj[cell.clock][edge], cell.states, 0, INPUT_SLEW_NS) for edge in EDGES
    )
    fixed = cell.capacitance_pf[cell.clock] * volt**2

    def of(found: list[float], d: int, q: int) -> float:
        return fmean(found[d | clock << 1 | q << 2] for clock in (0, 1))

    # At the falling edge, Q has the previous value of D, and D has either value.
    return [
        fixed + of(rise, d, q) + fmean(of(fall, later, d) for later in (0, 1))
        for q in (0, 1) for d in (0, 1)
    ]  # fmt: skip


def _sort_cells(
    cells: tuple[Instance, ...],
    library: Library,
    sinks: list[list[tuple[Instance, str]]],
) -> tuple[Instance, ...]:
    """Return cells in topological order; a loop is opened at one of its cells."""
    outputs = [each.nets[library.cells[each.kind].output][0] for each in cells]
    drivers = dict(zip(outputs, cells, strict=True))

    def before(cell: Instance) -> list[Instance]:
        nets = (cell.nets[pin][0] for pin in library.cells[cell.kind].inputs)
        return [drivers[net] for net in nets if net in drivers]

    missing = {id(each): len(before(each)) for each in cells}
    order = [each for each in cells if not missing[id(each)]]
    at = 0
    while len(order) < len(cells):
        for each in islice(order, at, None):
            at += 1
            for sink, _ in sinks[each.nets[library.cells[each.kind].output][0]]:
                if id(sink) in missing:
                    missing[id(sink)] -= 1
                    if not missing[id(sink)]:
                        order.append(sink)
        if len(order) < len(cells):
            stuck, seen = next(each for each in cells if missing[id(each)] > 0), set[int]()
            while id(stuck) not in seen:
                seen.add(id(stuck))
                stuck = next(each for each in before(stuck) if missing[id(each)] > 0)
            missing[id(stuck)] = 0
            order.append(stuck)
    return tuple(order)
