"""Cells of a liberty library that need more than one output and a rising edge, as parts.

A part has one output. Flip-flops have their sets, resets and edges; latches are elements as well. A
clock gate is a latch and a gate. One part of each cell has its area, leakage and input
capacitances.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gnomon.base.errors import GnomonError
from gnomon.gates._liberty import (
    EDGES,
    MOST_INPUTS,
    Arc,
    Cell,
    CellReader,
    Library,
    UnreadableCell,
    cell_reader,
    read_liberty,
    strip_brackets,
    truth_table,
)
from gnomon.gates._liberty_text import Group, read_library_group

_PIN = re.compile(r"(!?)\s*(\w+)\s*('?)")
_NO_ARCS: Mapping[str, tuple[Arc, ...]] = dict.fromkeys(EDGES, ())
_OTHER_KINDS = {"statetable", "latch_bank", "ff_bank"}
_AND, _OR, _SAME = 0b1000, 0b1110, 0b10


@dataclass(frozen=True, slots=True)
class WholeLibrary:
    """A library with the parts of all cells.

    Attributes:
        gates: cells of one output without a clock, which the synthesis of logic may use.
        parts: every readable cell as its parts, by its name in the file.
        library: the parts by their names, for timing and simulation.
    """

    gates: Library
    parts: Mapping[str, tuple[Cell, ...]]
    library: Library


def read_whole_library(path: Path) -> WholeLibrary:
    """Read a library with latches, sets and resets, clock gates and cells with several outputs.

    Raises:
        GnomonError: see :func:`read_liberty`.
    """
    plain, group = read_liberty(path), read_library_group(path)
    reader = _PartReader(cell_reader(group, path)[0])
    gates = {name: cell for name, cell in plain.cells.items() if not cell.clock}
    parts: dict[str, tuple[Cell, ...]] = {name: (cell,) for name, cell in gates.items()}
    left_out = dict(plain.left_out)
    for each in group.of("cell"):
        name = " ".join(each.names)
        if name not in parts:
            try:
                parts[name] = reader.read_cell(each)
                left_out.pop(name, None)
            except (UnreadableCell, GnomonError, KeyError, ValueError, IndexError, RecursionError,
                    ZeroDivisionError) as error:  # fmt: skip
                why = str(error) if isinstance(error, UnreadableCell | GnomonError) else ""
                left_out[name] = why or "a name, number, table or function is invalid"
    whole = {part.name: part for each in parts.values() for part in each}
    return WholeLibrary(
        replace(plain, cells=gates), parts, replace(plain, cells=whole, left_out=left_out)
    )


@dataclass(frozen=True, slots=True)
class _PartReader:
    reader: CellReader

    def read_cell(self, group: Group) -> tuple[Cell, ...]:
        """Return the parts of a cell.

        Raises:
            UnreadableCell: if the cell cannot be simulated.
        """
        pins = {name: each for each in group.of("pin") for name in each.names}
        outputs = [name for name, pin in pins.items() if "function" in pin.values]
        if any("three_state" in pin.values for pin in pins.values()):
            raise UnreadableCell("its output can float")
        if "clock_gating_integrated_cell" in group.values:
            return self._read_clock_gate(group, pins)
        if not outputs:
            raise UnreadableCell("no output")
        stored = next(group.of("ff", "latch"), None)
        if stored is not None:
            return self._read_element(group, stored, pins, outputs)
        inputs = tuple(name for name in pins if name not in outputs)
        if _OTHER_KINDS & {each.kind for each in group.groups} or len(inputs) > MOST_INPUTS:
            raise UnreadableCell("not a gate, flip-flop, latch or clock gate")
        functions = (pins[output].values["function"] for output in outputs)
        return tuple(
            self._part(group, pins, f"{group.names[0]}/{output}", inputs, output, whole=not k,
                       truth=truth_table(function, inputs))
            for k, (output, function) in enumerate(zip(outputs, functions, strict=True))
        )  # fmt: skip

    def _read_element(
        self, group: Group, stored: Group, pins: Mapping[str, Group], outputs: Sequence[str]
    ) -> tuple[Cell, ...]:
        """Return a flip-flop or latch whose data is one pin: a part for each output."""
        is_latch = stored.kind == "latch"
        names = ("data_in", "enable") if is_latch else ("next_state", "clocked_on")
        data, straight = _read_pin(stored.values[names[0]])
        clock, active = _read_pin(stored.values[names[1]])
        clear, preset = (
            _read_pin(stored.values[name]) if name in stored.values else None
            for name in ("clear", "preset")
        )
        preset_first = stored.values.get("clear_preset_var1", "L").strip('" ') == "H"
        if not straight:  # the part has the inverse of its state
            clear, preset, preset_first = preset, clear, not preset_first
        held = {pin: 1 - level for pin, level in filter(None, (clear, preset))}
        if {data, clock, *held, *outputs} != set(pins):
            raise UnreadableCell("its data is not one pin")
        parts = []
        for k, output in enumerate(outputs):
            shown, level = _read_pin(pins[output].values["function"])
            if shown not in stored.names[:2]:
                raise UnreadableCell("its output is not its state")
            name = group.names[0] if len(outputs) == 1 else f"{group.names[0]}/{output}"
            part = self._part(
                group, pins, name, (data,), output, clock=clock, held=held, whole=not k
            )
            parts.append(replace(
                part, active=active, is_latch=is_latch, clear=clear, preset=preset,
                inverts=(shown == stored.names[0]) != (level == straight),
                preset_first=preset_first,
            ))  # fmt: skip
        return tuple(parts)

    def _read_clock_gate(self, group: Group, pins: Mapping[str, Group]) -> tuple[Cell, ...]:
        """Return a clock gate as a latch, a gate, and an OR if it has a test pin."""
        of = {
            kind: [name for name, pin in pins.items() if f"clock_gate_{kind}_pin" in pin.values]
            for kind in ("clock", "enable", "test", "out")
        }
        (clock,), (enable,), (out,) = of["clock"], of["enable"], of["out"]
        style = group.values["clock_gating_integrated_cell"].strip('" ')
        rising = style.startswith("latch_posedge")
        if not style.startswith(("latch_posedge", "latch_negedge")):
            raise UnreadableCell(f"a clock gate of style {style}")
        name, read, parts, data = group.names[0], self.reader, [], enable
        loads = {pin: read.capacitance_pf(pins[pin]) for pin in (enable, *of["test"])}
        if of["test"]:
            data = "enabled"
            parts.append(_make_bare(f"{name}/or", (enable, *of["test"]), data, _OR, loads))
            loads = {data: 0.0}
        latch = _make_bare(f"{name}/latch", (data,), "held", _SAME, loads | {clock: 0.0})
        parts.append(replace(latch, clock=clock, is_latch=True, active=0 if rising else 1))
        inside = [each for each, pin in pins.items() if "internal_node" in pin.values]
        alias = dict.fromkeys((*inside, enable), "held") | dict.fromkeys(of["test"], "0")
        alias[out] = f"(held {'&' if rising else '+'} {clock})"
        pins = {**pins, "held": Group("pin", group.line, ["held"], {"capacitance": "0"})}
        gate = self._part(
            group, pins, f"{name}/gate", ("held", clock), out, alias=alias,
            truth=_AND if rising else _OR,
        )  # fmt: skip
        return (*parts, gate)

    def _part(
        self,
        group: Group,
        pins: Mapping[str, Group],
        name: str,
        inputs: tuple[str, ...],
        output: str,
        *,
        truth: int = _SAME,
        clock: str = "",
        held: Mapping[str, int] | None = None,
        whole: bool = True,
        alias: Mapping[str, str] | None = None,
    ) -> Cell:
        """Return one output of a cell.

        Args:
            group: the cell.
            pins: its pins.
            name: name of the part.
            inputs: its inputs, without clock, set and reset.
            output: its output.
            truth: its truth table.
            clock: its clock; empty: it has none.
            held: levels at which set and reset are inactive.
            whole: whether it has area, leakage and inputs of the cell.
            alias: other names of pins in conditions; default: of the outputs.
        """
        held, out = held or {}, pins[output]
        driven = (*inputs, clock) if clock else inputs
        seen = (*driven, output) if clock else inputs
        if alias is None:
            shown = {name: pin.values["function"] for name, pin in pins.items()
                     if "function" in pin.values}  # fmt: skip
            alias = (dict.fromkeys(shown.keys() - {output}, f"(!{output})") if clock
                     else {name: f"({function})" for name, function in shown.items()})  # fmt: skip
        read = replace(self.reader, alias=alias)
        every = (*driven, *held)
        setups = [
            max(map(max, table[2]))
            for pin in pins.values()
            for kind in ("rise_constraint", "fall_constraint")
            for table in read.setup_tables(pin, kind, clock)
        ]
        return Cell(
            name,
            float(group.values["area"]) if whole else 0.0,
            read.leakage_nw(group) if whole else 0.0,
            inputs,
            output,
            truth,
            clock,
            {},
            {pin: read.capacitance_pf(pins[pin]) if whole else 0.0 for pin in every},
            {edge: read.tables(out, f"cell_{edge}", held) for edge in EDGES},
            {edge: read.tables(out, f"{edge}_transition", held) for edge in EDGES},
            {edge: read.arcs(out, f"{edge}_power", seen, held) for edge in EDGES},
            {pin: {edge: read.arcs(pins[pin], f"{edge}_power", seen, held) if whole else ()
                   for edge in EDGES} for pin in every},
            max(setups, default=0.0),
        )  # fmt: skip


def _make_bare(
    name: str, inputs: tuple[str, ...], output: str, truth: int, loads: Mapping[str, float]
) -> Cell:
    """Return a cell without area, delay and energy."""
    return Cell(
        name, 0.0, 0.0, inputs, output, truth, "", {}, loads, _NO_TABLES, _NO_TABLES, _NO_ARCS,
        dict.fromkeys(loads, _NO_ARCS), 0.0,
    )  # fmt: skip


_NO_TABLES: Mapping[str, tuple[()]] = dict.fromkeys(EDGES, ())


def _read_pin(function: str) -> tuple[str, int]:
    """Return the pin of a function, and 1, or 0 for the inverse of the pin.

    Raises:
        UnreadableCell: if the function is not a pin or its inverse.
    """
    found = _PIN.fullmatch(strip_brackets(function))
    if found is None or (found[1] and found[3]):
        raise UnreadableCell(f"{function!r} is not one pin")
    return found[2], int(not (found[1] or found[3]))
