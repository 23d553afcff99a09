"""Replay of recorded inputs on a netlist: every output of every cycle is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.gates._engine import ELEMENT, RESET_ROW, GateState, pack_rows

if TYPE_CHECKING:
    from gnomon.gates._core_netlist import CoreNetlist
    from gnomon.gates._liberty import Cell, Library
    from gnomon.gates._timing import Timed

_OF_CLOCK, _OF_DATA, _OF_RESET = range(3)  # as in replay.c
_EQUAL, _DIFFERENT = 0, 1
_CHUNK: Final = 50_000  # cycles of a call, after which Ctrl-C works
_LIMIT_PS: Final = 10_000_000  # of the events after an edge
_UNDEFINED: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """Energies of a run whose outputs are those of the RTL.

    Attributes:
        cycles: cycles after those before the program.
        compared: defined output bits that were compared, of all cycles.
        energy_pj: energy of the data path, glitches included; shape (windows, units).
        glitch_pj: energy of glitches: of pairs of edges of a net in a cycle; the same shape.
        clock_pj: energy of clock pins, clock gates and the cells of the clock network.
        gated_pj: energy of clock pins in the whole program, if the flip-flops of each word had one
            clock gate without own energy, open in cycles in which one of them changes.
        wire_pj_per_ff: energy per fF of wire capacitance per sink, in the whole program; by unit.
        settled_ns: longest time from a clock edge to the last event, in ns.
    """

    cycles: int
    compared: int
    energy_pj: npt.NDArray[np.float64]
    glitch_pj: npt.NDArray[np.float64]
    clock_pj: npt.NDArray[np.float64]
    gated_pj: float
    wire_pj_per_ff: npt.NDArray[np.float64]
    settled_ns: float


@dataclass(frozen=True, slots=True, eq=False)
class Replayer:
    """A netlist in its initial state, for any number of runs."""

    core: CoreNetlist
    timed: Timed
    library: Library
    clocks: tuple[str, ...]
    initial: GateState

    @classmethod
    def from_core(
        cls, core: CoreNetlist, timed: Timed, library: Library, clocks: Sequence[str]
    ) -> Replayer:
        """Prepare a netlist of parts.

        Raises:
            GnomonError: if a clock is not an input.
        """
        for name in clocks:
            if name not in core.inputs:
                raise GnomonError(
                    f"clock {name} is not an input (inputs: {', '.join(core.inputs)})"
                )
        initial = _make_state(core, timed, library, clocks)
        return cls(core, timed, library, tuple(clocks), initial)

    def replay(
        self,
        inputs: npt.NDArray[np.uint8],
        expected: npt.NDArray[np.uint8],
        *,
        lead: int = 0,
        window_cycles: int = 0,
    ) -> Replayed:
        """Apply the inputs of each cycle after its clock edge, and compare the outputs at its end.

        Args:
            inputs: bits of the other inputs by cycle, in the order of the ports.
            expected: bits of the outputs by cycle; above 1: undefined, not compared.
            lead: cycles before the program, such as the reset; their energy is not counted.
            window_cycles: window length in cycles; 0: one window.

        Raises:
            CheckFailed: if an output differs.
            GnomonError: if the netlist oscillates.
        """
        length = len(inputs) - lead
        window_cycles = window_cycles or max(1, length)
        windows = -(-length // window_cycles)
        state, timed = self.initial.copy(windows), self.timed
        state.set(window=window_cycles, lead=lead)
        for start in range(0, len(inputs), _CHUNK):
            rows, wanted = (np.ascontiguousarray(each[start : start + _CHUNK], dtype=np.uint8)
                            for each in (inputs, expected))  # fmt: skip
            ended = state.call("gates_replay", rows.ctypes.data, wanted.ctypes.data, *rows.shape,
                               wanted.shape[1])  # fmt: skip
            if ended == _DIFFERENT:
                raise CheckFailed(_describe_difference(self.core, state, expected))
            if ended != _EQUAL:
                raise GnomonError(f"the gates do not settle in cycle {int(state.state['cycle'])}")
        arrays = state.arrays
        toggles = np.bincount(timed.unit_of_net, arrays["nets"]["toggles"] * timed.sinks,
                              len(timed.units))  # fmt: skip
        rows_of = slice(RESET_ROW, RESET_ROW + windows)
        return Replayed(
            length, int((expected < _UNDEFINED).sum()), arrays["energy_pj"][rows_of],
            arrays["glitch_pj"][rows_of],
            arrays["clock_pj"][rows_of], float(arrays["gated_pj"][0]),
            toggles * self.library.volt**2 / 2 * 1e-3, int(state.state["longest_ps"]) / 1000,
        )  # fmt: skip


def _describe_difference(
    core: CoreNetlist, state: GateState, expected: npt.NDArray[np.uint8]
) -> str:
    cycle, place = (int(state.state[name]) for name in ("cycle", "wrong_output"))
    widths = [len(core.netlist.ports[name]) for name in core.outputs]
    ends = list(accumulate(widths))
    port = next(k for k, end in enumerate(ends) if place < end)
    bit = place - ends[port] + widths[port]
    wanted = int(expected[cycle, place])
    return (
        f"cycle {cycle}: {core.outputs[port]}[{bit}] is {1 - wanted} on the gates and {wanted} on "
        "the RTL; no energy is given"
    )


def list_inputs(core: CoreNetlist, clocks: Sequence[str]) -> tuple[str, ...]:
    """Return the inputs that a replay applies."""
    return tuple(name for name in core.inputs if name not in clocks)


def _make_state(
    core: CoreNetlist, timed: Timed, library: Library, clocks: Sequence[str]
) -> GateState:
    state = GateState(timed, library, 1)
    nets, ports = state.arrays["nets"], core.netlist.ports
    clock_nets = [net for name in clocks for net in ports[name]]
    elements = timed.flip_flops
    cells = [library.cells[each.kind] for each in elements]
    of_clock = _find_clock_network(timed, library, clock_nets)
    nets["of_clock"][[*of_clock, *clock_nets]] = 1
    for name in ("rise_ps", "fall_ps"):
        nets[name][list(of_clock)] = 0
    pins = [
        [each.nets[pin][0] if pin else 0
         for pin in (cell.inputs[0], cell.output, cell.clock, *(
             pin and pin[0] for pin in (cell.clear, cell.preset)))]
        for each, cell in zip(elements, cells, strict=True)
    ]  # fmt: skip
    columns = np.array(pins, dtype=np.int32).reshape(-1, 5).T
    values = dict(zip(("d", "q", "clock", "clear", "preset"), columns, strict=True)) | {
        "active": [cell.active for cell in cells], "latch": [cell.is_latch for cell in cells],
        "inverts": [cell.inverts for cell in cells],
        "clear_level": [_level(cell.clear) for cell in cells],
        "preset_level": [_level(cell.preset) for cell in cells],
        "preset_first": [cell.preset_first for cell in cells],
    }  # fmt: skip
    state.add("elements", pack_rows(ELEMENT, max(1, len(elements)), values if pins else {}))
    watched: list[list[int]] = [[] for _ in nets]
    for k, (cell, (data, _, clock, clear, preset)) in enumerate(zip(cells, pins, strict=True)):
        watched[clock].append(k << 2 | _OF_CLOCK)
        if cell.is_latch:
            watched[data].append(k << 2 | _OF_DATA)
        for net in (clear, preset):
            if net > 1:
                watched[net].append(k << 2 | _OF_RESET)
    ends = np.cumsum([0, *map(len, watched)])
    nets["watch_first"], nets["watch_last"] = ends[:-1], ends[1:]
    state.add("watchers", [each for row in watched for each in row] or [0])
    ones = [column[1] in core.ones for column in pins]
    state.arrays["state"][:] = [one != cell.inverts for one, cell in zip(ones, cells, strict=True)]
    inputs = [net for name in list_inputs(core, clocks) for net in ports[name]]
    outputs = [net for name in core.outputs for net in ports[name]]
    for name, found in (("clocks", clock_nets), ("ports", inputs), ("outputs", outputs)):
        state.add(name, found or [0])
    state.set(clock_count=len(clock_nets), limit_ps=_LIMIT_PS)
    return state


def _level(pin: tuple[str, int] | None) -> int:
    return 0 if pin is None else pin[1]


def _find_clock_network(timed: Timed, library: Library, clocks: Sequence[int]) -> set[int]:
    """Return the nets of cells between clock ports and the clock pins of flip-flops and latches."""
    after, before = set(clocks), set[int]()
    cells: list[tuple[Cell, int, list[int]]] = []
    for each in timed.cells:
        cell = library.cells[each.kind]
        cells.append((cell, each.nets[cell.output][0], [each.nets[pin][0] for pin in cell.inputs]))
    for _, out, ins in cells:  # in topological order
        if not after.isdisjoint(ins):
            after.add(out)
    before.update(each.nets[library.cells[each.kind].clock][0] for each in timed.flip_flops)
    for _, out, ins in reversed(cells):
        if out in before:
            before.update(ins)
    return {out for _, out, _ in cells if out in after and out in before}
