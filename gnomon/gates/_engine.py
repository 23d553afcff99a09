"""Python interface of the simulation of timed gates in C (``engine.c``)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base import structs
from gnomon.base.errors import GnomonError
from gnomon.base.native import Native, load_native
from gnomon.base.structs import Field, Struct, constants
from gnomon.gates._liberty import Library
from gnomon.gates._netlist import Instance, Netlist
from gnomon.gates._timing import Timed
from gnomon.program import Program
from gnomon.rtl.designs import MACHINE_PORTS
from gnomon.rtl.observed import Recorded, memories_of

_WHEEL = 1 << 15  # ps; longer than any delay
RESET_ROW = 1
_ROWS_A_CYCLE = 4  # columns of a request or an issue; at most one of each per cycle
_CHUNK_CYCLES = 2000
_MOST_INPUTS = 6
# Ports of vcu_bank; its nets are one row in this order. MACHINE_PORTS has those of t13, or of
# another core in its place, which may lack some.
_BANK_PORTS: Final = {
    "read": 1, "read_row": 16, "read_data": 32, "second_read": 1, "second_row": 16,
    "second_data": 32, "through": 1, "write": 2, "write_row": 16, "write_data": 32,
}  # fmt: skip

_BANK = Struct(
    "Bank",
    "A memory of a scratchpad.",
    (
        Field("nets", "", "int32_t", count=sum(_BANK_PORTS.values())),
        Field("shown", "words at its read ports", "uint32_t", count=2),
        Field("base", "first of its words among those of all banks"),
        Field("second_port"),
        Field("write_through"),
    ),
)


_NET = Struct(
    "Net",
    "A net, by the cell that drives it, with the data of an event.",
    (
        *(Field(name, "", "int32_t") for name in (
            "energy_at", "unit", "first", "last", "driver", "rise_ps", "fall_ps", "place", "before",
            "behind", "watch_first", "watch_last",
        )),
        Field("toggles"),
        Field("cause", "", "uint8_t"),
        Field("of_clock", "of the clock network", "uint8_t"),
        Field("states", "of the cell, less one, if its energy depends on them", "uint8_t"),
    ),
)  # fmt: skip
_EDGE = Struct(
    "Edge",
    "The last edge of a net that may be half of a glitch.",
    (Field("cycle", "-1: none"), Field("pj", "", "double")),
)
_CELL = Struct(
    "Cell",
    "A cell without a clock.",
    (
        Field("truth", "", "uint64_t"),
        Field("output", "", "int32_t"),
        *(Field(name, "", "uint8_t") for name in ("index", "latest", "marked")),
    ),
)
ELEMENT = Struct(
    "Element",
    "A flip-flop or latch; net 0 for a set or reset that it lacks.",
    (
        *(Field(name, "", "int32_t") for name in ("d", "q", "clock", "clear", "preset")),
        *(Field(name, "", "uint8_t") for name in (
            "active", "latch", "inverts", "clear_level", "preset_level", "preset_first",
        )),
    ),
)  # fmt: skip


def _pointers(kind: str | Struct, *names: str) -> Iterable[Field]:
    return (Field(name, "", kind, pointer=True) for name in names)


_GATES = Struct(
    "Gates",
    "A netlist with its simulation state and its memories.",
    (
        *structs.int64_fields(
            "net_count", "cell_count", "flip_flop_count", "bank_count", "unit_count", "window",
            "started", "now", "cycle", "events", "touched_count", "issue_count", "bus_count",
            "bank_reads", "bank_writes", "longest_ps", "reset_net", "code_base", "code_bytes",
            "data_base", "data_bytes", "edge_count", "clock_count", "lead", "limit_ps",
            "wrong_output",
        ),
        *_pointers("uint8_t", "value", "state", "held"),
        *_pointers("int32_t", "sinks", "wheel", "touched", "d", "q", "changing", "ports"),
        *_pointers("int32_t", "word_of", "edges", "watchers", "clocks", "outputs"),
        *_pointers("int64_t", "clocked"),
        *_pointers("double", "rise_pj", "fall_pj", "energy_pj", "row", "word_pj", "gated_pj"),
        *_pointers("double", "clock_pj", "idle_pj", "pin_pj", "clock_row", "glitch_pj"),
        *_pointers("uint32_t", "issues", "bus", "code", "data", "bank_words"),
        *_pointers(_BANK, "banks"),
        *_pointers(_NET, "nets"),
        *_pointers(_EDGE, "last"),
        *_pointers(_CELL, "cells"),
        *_pointers(ELEMENT, "elements"),
    ),
)  # fmt: skip


def _offsets(prefix: str, ports: Mapping[str, int]) -> dict[str, int]:
    ends = np.cumsum([0, *ports.values()]).tolist()
    return {f"{prefix}_{name.upper()}": end for name, end in zip(ports, ends, strict=False)}


def _write_headers() -> Mapping[str, str]:
    numbers = {"WHEEL": _WHEEL, **_offsets("P", MACHINE_PORTS), **_offsets("B", _BANK_PORTS)}
    declared = (each.declaration() for each in (_BANK, _NET, _EDGE, _CELL, ELEMENT, _GATES))
    parts = ('#include "native.h"', constants(numbers), *declared)
    return {"gates_state.h": "\n".join(parts) + "\n"}


LIBRARY: Final = Native(
    "gates",
    "the simulation of gates",
    tuple(Path(__file__).with_name(name) for name in ("engine.c", "replay.c")),
    (
        *(Path(str(file)) for file in (__file__, structs.__file__)),
        Path(__file__).with_name("events.h"),
    ),
    _write_headers,
)


@dataclass(frozen=True, slots=True, eq=False)
class GatesDid:
    """Result of a run of a netlist: its events as of RTL, and energies.

    Attributes:
        recorded: events of the program.
        energy_pj: energy of the data path, glitches included; shape (windows, units).
        glitch_pj: energy of glitches: of pairs of edges of a net in a cycle; the same shape.
        wire_pj_per_ff: energy per fF of wire capacitance per sink, in the whole program; shape
            (units,).
        clock_pj: energy of clock pins without gating and clock tree; shape (windows, units).
        gated_pj: energy of clock pins in the whole program, if the flip-flops of each word had one
            clock gate without own energy, open in cycles in which one of them changes.
        settled_ns: longest time from a clock edge to the last event, in ns.
        bank_reads: number of reads of scratchpad memories.
        bank_writes: number of writes of scratchpad memories.
    """

    recorded: Recorded
    energy_pj: npt.NDArray[np.float64]
    glitch_pj: npt.NDArray[np.float64]
    wire_pj_per_ff: npt.NDArray[np.float64]
    clock_pj: npt.NDArray[np.float64]
    gated_pj: float
    settled_ns: float
    bank_reads: int
    bank_writes: int


def _list_nets(instance: Mapping[str, tuple[int, ...]], ports: Mapping[str, int]) -> list[int]:
    # A missing port gets net 0.
    rows = ((*instance.get(name, ()), *[0] * 32)[:width] for name, width in ports.items())
    return [net for row in rows for net in row]


def pack_rows(struct: Struct, count: int, values: Mapping[str, Any]) -> npt.NDArray[Any]:
    rows = np.zeros(count, dtype=struct.dtype)
    for name, value in values.items():
        rows[name] = value
    return rows


class GateState:
    """State of a simulation, with the arrays that it points to."""

    def __init__(self, timed: Timed, library: Library, windows: int) -> None:
        count, cells, known = timed.delay_ps.shape[1], timed.cells, library.cells
        sinks: list[list[int]] = [[] for _ in range(count)]
        for k, each in enumerate(cells):
            for slot, pin in enumerate(known[each.kind].inputs):
                sinks[each.nets[pin][0]].append(k << 3 | slot)
        if timed.delay_ps.max() >= _WHEEL or any(
            len(known[each.kind].inputs) > _MOST_INPUTS for each in cells
        ):
            raise GnomonError("the netlist has a longer delay or a larger cell than is supported")

        def outputs(instances: Sequence[Instance]) -> list[int]:
            return [each.nets[known[each.kind].output][0] for each in instances]

        drivers = np.zeros(count, dtype=np.int32)
        idle = np.zeros(len(timed.units))
        drivers[outputs(cells)] = np.arange(len(cells))
        for net, row in zip(outputs(timed.flip_flops), timed.clock_pj, strict=True):
            idle[timed.unit_of_net[net]] += row[0]
        value = np.zeros(count)
        value[1] = 1
        flip_flops = timed.flip_flops
        resets = [max((each.nets[pin][0] for pin in known[each.kind].tied), default=0)
                  for each in flip_flops]  # fmt: skip
        ends = np.cumsum([0, *map(len, sinks)])
        nets = pack_rows(_NET, count, {
            "energy_at": timed.energy_at, "unit": timed.unit_of_net, "first": ends[:-1],
            "last": ends[1:], "driver": drivers, "rise_ps": timed.delay_ps[0],
            "fall_ps": timed.delay_ps[1], "place": -1, "before": -1, "behind": -1,
            "states": timed.energy_states,
        })  # fmt: skip
        packed = pack_rows(_CELL, len(cells), {
            "truth": np.array([known[each.kind].truth for each in cells], dtype=np.uint64),
            "output": outputs(cells),
            "index": [sum(1 << slot for slot, pin in enumerate(known[each.kind].inputs)
                          if each.nets[pin][0] == 1) for each in cells],
        })  # fmt: skip
        self.state = _GATES.make()
        given: dict[str, Any] = {
            "nets": nets, "cells": packed, "value": value, "state": np.zeros(len(flip_flops)),
            "sinks": [sink for row in sinks for sink in row] or [0], "wheel": np.full(_WHEEL, -1),
            "touched": np.zeros(len(cells)),
            "d": [each.nets[known[each.kind].inputs[0]][0] for each in flip_flops],
            "q": outputs(flip_flops), "changing": np.zeros(len(flip_flops)),
            "rise_pj": timed.energy_pj[0], "fall_pj": timed.energy_pj[1],
            "edges": np.zeros(count),
            "last": pack_rows(_EDGE, count, {"cycle": -1}),
            **{name: np.zeros((RESET_ROW + windows, len(timed.units)))
               for name in ("energy_pj", "glitch_pj")},
            "word_of": timed.word_of, "word_pj": timed.word_pj, "gated_pj": np.zeros(1),
            "clocked": np.zeros(len(timed.word_pj)), "idle_pj": idle,
            "pin_pj": timed.clock_pj.ravel() if len(flip_flops) else np.zeros(1),
            "clock_pj": np.zeros((1 + windows, len(timed.units))),
            "held": [net > 1 for net in resets],
        }  # fmt: skip
        self.arrays = {name: _GATES.array(name, values) for name, values in given.items()}
        _GATES.point(self.state, self.arrays)
        self.state["row"] = self.state["energy_pj"]
        for name, number in (("net_count", count), ("cell_count", len(cells)), ("window", 1),
                             ("flip_flop_count", len(flip_flops)),
                             ("unit_count", len(timed.units)),
                             ("reset_net", max(resets, default=0))):  # fmt: skip
            self.state[name] = number

    def copy(self, windows: int) -> GateState:
        """Return an equal state with energies for another number of windows, all 0."""
        other = object.__new__(GateState)
        units = self.arrays["energy_pj"].shape[1]
        rows = {name: _GATES.zeros(name, (RESET_ROW + windows, units))
                for name in ("energy_pj", "glitch_pj", "clock_pj")}  # fmt: skip
        other.state = self.state.copy()
        other.arrays = {name: array.copy() for name, array in self.arrays.items()} | rows
        _GATES.point(other.state, other.arrays)
        other.state["row"] = other.state["energy_pj"]
        return other

    def add(self, name: str, values: Any) -> None:
        self.arrays[name] = _GATES.array(name, values)
        _GATES.point(self.state, {name: self.arrays[name]})

    def set(self, **values: int) -> None:
        for name, value in values.items():
            self.state[name] = value

    def call(self, name: str, *arguments: int) -> int:
        function = getattr(load_native(LIBRARY), name)
        function.restype = ctypes.c_int64
        pointers = (ctypes.c_void_p(self.state.ctypes.data), *map(ctypes.c_int64, arguments))
        return int(function(*pointers))


def simulate_gates(
    netlist: Netlist,
    timed: Timed,
    library: Library,
    architecture: Architecture,
    program: Program,
    *,
    last_cycle: int,
    window_cycles: int,
    initial: GateState | None = None,
) -> GatesDid:
    """Run a program on the netlist of a machine up to its exit or a last cycle.

    ``initial`` is a state of the netlist that no program has changed; None: it is built.

    Raises:
        GnomonError: if the program does not fit the memories, or the netlist is not supported.
    """
    count = last_cycle // window_cycles + 2
    machine = GateState(timed, library, count) if initial is None else initial.copy(count)
    memory = architecture.memory
    for name, region, words in zip(
        ("code", "data"), (memory.instruction, memory.data), memories_of(program, architecture),
        strict=True,
    ):  # fmt: skip
        machine.add(name, words)
        machine.set(**{f"{name}_base": region.base, f"{name}_bytes": int(region.size)})
    banks = np.zeros(len(timed.memories), dtype=_BANK.dtype)
    base = 0
    for bank, each in zip(banks, timed.memories, strict=True):
        bank["nets"] = _list_nets(each.nets, _BANK_PORTS)
        bank["base"] = base
        bank["second_port"] = each.parameters.get("SECOND_PORT", 0)
        bank["write_through"] = each.parameters.get("WRITE_THROUGH", 0)
        base += each.parameters["ROWS"]
    machine.add("banks", banks)
    machine.add("bank_words", np.zeros(max(base, 1)))
    ports = machine.arrays
    machine.add("ports", _list_nets(netlist.ports, MACHINE_PORTS))
    offsets = _offsets("P", MACHINE_PORTS)
    for name, value in (("superscalar", architecture.core.superscalar),
                        ("count_all", architecture.core.count_all)):  # fmt: skip
        net = ports["ports"][offsets[f"P_{name.upper()}"]]
        if net > 1 and value:
            ports["value"][net] = 1
            first, last = (ports["nets"][end][net] for end in ("first", "last"))
            for sink in ports["sinks"][first:last].tolist():
                ports["cells"]["index"][sink >> 3] |= 1 << (sink & 7)
    for name in ("issues", "bus"):
        machine.add(name, np.zeros((last_cycle + 1, _ROWS_A_CYCLE)))
    machine.set(window=window_cycles, bank_count=len(banks))
    ended, left = 0, last_cycle
    while not ended and left > 0:  # in chunks, so that Ctrl-C works
        ended = machine.call("gates_run", min(left, _CHUNK_CYCLES))
        left -= _CHUNK_CYCLES
    state, arrays = machine.state, machine.arrays
    cycle = int(state["cycle"])
    rows = {name: arrays[name][: int(state[count])].copy()
            for name, count in (("issues", "issue_count"), ("bus", "bus_count"))}  # fmt: skip
    windows = slice(RESET_ROW, RESET_ROW + cycle // window_cycles + 1)
    return GatesDid(
        Recorded(
            "exit" if ended else "cycle limit", cycle, rows["issues"], rows["bus"],
            arrays["code"].tobytes() + arrays["data"].tobytes(),
        ),
        arrays["energy_pj"][windows].copy(),
        arrays["glitch_pj"][windows].copy(),
        np.bincount(timed.unit_of_net, arrays["nets"]["toggles"] * timed.sinks, len(timed.units))
        * library.volt**2 / 2 * 1e-3,
        arrays["clock_pj"][: cycle // window_cycles + 1].copy(),
        float(arrays["gated_pj"][0]), int(state["longest_ps"]) / 1000, int(state["bank_reads"]),
        int(state["bank_writes"]),
    )  # fmt: skip


def apply(
    netlist: Netlist, timed: Timed, library: Library, inputs: Sequence[str],
    values: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:  # fmt: skip
    """Apply a row of input values per cycle; return toggles by net, and pJ by row and unit.

    All nets start at 0. The first row sets the initial state; toggles count from the second row on.
    """
    arrays = apply_rows(netlist, timed, library, inputs, values).arrays
    return arrays["nets"]["toggles"], arrays["energy_pj"][: len(values)]


def apply_rows(
    netlist: Netlist, timed: Timed, library: Library, inputs: Sequence[str],
    values: npt.NDArray[np.uint8],
) -> GateState:  # fmt: skip
    """Return the state after :func:`apply`."""
    machine = GateState(timed, library, len(values))
    machine.add("ports", [net for name in inputs for net in netlist.ports[name]])
    pattern = np.ascontiguousarray(values, dtype=np.uint8)
    machine.call("gates_apply", pattern.ctypes.data, *pattern.shape)
    return machine
