"""Reader of liberty libraries: functions, capacitances and tables for gate simulation."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, prod
from pathlib import Path
from statistics import fmean

from gnomon.base.errors import GnomonError
from gnomon.gates._liberty_text import Group, Units, read_library_group

_FUNCTION = re.compile(r"\w+|[!'&*+|^()]")
EDGES = ("rise", "fall")
MOST_INPUTS = 10  # of a cell, whose truth table then has 2**10 bits

Table = tuple[tuple[float, ...], tuple[float, ...], tuple[tuple[float, ...], ...]]
"""Loads in pF, slews in ns, values; one load if values depend on the slew only."""
Arc = tuple[str, int | None, Table]
"""Changing pin, states of the cell in which the arc applies, and energies. None: the arc applies in
the states that no other arc of the pin covers."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A combinational cell of one output, or a flip-flop on a rising edge.

    Tables are by edge of the output; ``passive_pj``: energy of an edge of an input, by its slew.
    Energies are arcs: bit k of their states is the state in which input i has the value of bit i of
    k. For a flip-flop, clock and output follow the inputs.
    """

    name: str
    area_um2: float
    leakage_nw: float
    inputs: tuple[str, ...]  # without the clock
    output: str
    truth: int  # bit k: output if input i has the value of bit i of k
    clock: str  # "" without one
    tied: Mapping[str, int]  # resets, with the constant that keeps them inactive
    capacitance_pf: Mapping[str, float]
    delay_ns: Mapping[str, tuple[Table, ...]]
    slew_ns: Mapping[str, tuple[Table, ...]]
    energy_pj: Mapping[str, tuple[Arc, ...]]
    passive_pj: Mapping[str, Mapping[str, tuple[Arc, ...]]]
    setup_ns: float
    # Below: of cells of `_parts.py` alone.
    active: int = 1  # level of the clock after the edge, or at which a latch is open
    is_latch: bool = False
    inverts: bool = False  # the output is the inverse of the state
    clear: tuple[str, int] | None = None  # pin, and its level that sets the state to 0
    preset: tuple[str, int] | None = None
    preset_first: bool = False  # if both are active

    @property
    def asynchronous(self) -> tuple[str, ...]:
        """Pins that set or reset the state."""
        return tuple(pin for pin, _ in filter(None, (self.clear, self.preset)))

    @property
    def loads(self) -> tuple[str, ...]:
        """Pins that load nets of data."""
        return (*self.inputs, *self.asynchronous)

    @property
    def states(self) -> int:
        """Number of states."""
        return 1 << len(self.inputs) + 2 * bool(self.clock)


@dataclass(frozen=True, slots=True)
class Library:
    """Cells by name. ``left_out``: reasons of the cells that are not read, such as latches."""

    name: str
    volt: float
    cells: Mapping[str, Cell]
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Name and voltage, as energy tables name the library."""
        return f"{self.name}, {self.volt:g} V"

    def without(self) -> str:
        """Return one line on the cells left out, with reasons and a few names each."""
        by_reason: dict[str, list[str]] = {}
        for name, reason in self.left_out.items():
            by_reason.setdefault(reason, []).append(name)
        parts = []
        for reason, names in by_reason.items():
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            parts.append(f"{', '.join(names[:_SHOWN])}{more} ({reason})")
        return "; ".join(parts)


_SHOWN = 4  # cells of one reason in a message


def energies(arcs: Sequence[Arc], states: int, load_pf: float, slew_ns: float) -> list[float]:
    """Return the energy in each state, in pJ: the mean over the pins of the applicable arcs."""
    if all(when is None for _, when, _ in arcs):  # the frequent case
        values = [look_up(table, load_pf, slew_ns) for *_, table in arcs]
        return [fmean(values) if values else 0.0] * states
    priced = [(pin, when, look_up(table, load_pf, slew_ns)) for pin, when, table in arcs]
    found = []
    for state in range(states):
        by_pin: dict[str, list[float]] = {}
        for wanted in (False, True):  # unconditional arcs apply if no conditional one does
            for pin, when, value in priced:
                if wanted and when is None and pin not in by_pin:
                    by_pin.setdefault(f"{pin} else", []).append(value)
                if not wanted and when is not None and when >> state & 1:
                    by_pin.setdefault(pin, []).append(value)
        means = [fmean(values) for values in by_pin.values()]
        found.append(fmean(means) if means else 0.0)
    return found


def look_up(table: Table, load_pf: float, slew_ns: float) -> float:
    """Return the value of a table, interpolated and extrapolated linearly."""
    loads, slews, values = table
    j, v = _locate(slews, slew_ns)
    if len(loads) == 1:
        return values[0][j] + v * (values[0][j + 1] - values[0][j])
    i, u = _locate(loads, load_pf)
    low = values[i][j] + v * (values[i][j + 1] - values[i][j])
    high = values[i + 1][j] + v * (values[i + 1][j + 1] - values[i + 1][j])
    return low + u * (high - low)


def mean_delay_ns(cell: Cell, load_pf: float, slew_ns: float = 0.1) -> float:
    """Return the mean delay of a cell over all inputs and both edges, in ns."""
    tables = [table for edge in EDGES for table in cell.delay_ns[edge]]
    return fmean(look_up(table, load_pf, slew_ns) for table in tables)


def _locate(axis: Sequence[float], value: float) -> tuple[int, float]:
    place = min(max(bisect_left(axis, value) - 1, 0), len(axis) - 2)
    return place, (value - axis[place]) / (axis[place + 1] - axis[place])


def read_liberty(path: Path) -> Library:
    """Read a library and convert its units to pF, ns, pJ and nW.

    A cell that cannot be read is listed in ``left_out`` with the reason.

    Raises:
        GnomonError: if the file cannot be read, its units are invalid, or no cell can be read.
    """
    library = read_library_group(path)
    reader, volt = cell_reader(library, path)
    cells: dict[str, Cell] = {}
    left_out: dict[str, str] = {}
    for group in library.of("cell"):
        read = reader.read(group)
        name = " ".join(group.names)
        if isinstance(read, Cell):
            cells[name] = read
        else:
            left_out[name] = read
    found = Library(" ".join(library.names), volt, cells, left_out)
    if left_out and not cells:
        raise GnomonError(f"{path}: no cell can be read: {found.without()}")
    return found


def number(text: str) -> float:
    """Return a finite number.

    Raises:
        ValueError: if the text is not a finite number.
    """
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


class UnreadableCell(Exception):  # noqa: N818 - a reason, not a malfunction
    """Reason why a cell is left out."""


@dataclass(frozen=True, slots=True)
class CellReader:
    """Reader of the cells of one library."""

    shapes: Mapping[str, Group]
    units: Units
    defaults: Mapping[str, str]
    alias: Mapping[str, str] = field(default_factory=dict)  # other names of pins in conditions

    def read(self, group: Group) -> "Cell | str":
        """Return the cell, or the reason why it is left out."""
        try:
            return self._read_cell(group)
        except UnreadableCell as reason:
            return str(reason)
        except KeyError as missing:
            return f"{missing} is missing or not a table of this library"
        except GnomonError as error:
            return str(error)
        except (ValueError, IndexError, RecursionError, ZeroDivisionError):
            return "a name, number, table or function is invalid"

    def _read_cell(self, group: Group) -> Cell:
        pins = {name: each for each in group.of("pin") for name in each.names}
        outputs = [name for name, pin in pins.items() if "function" in pin.values]
        kinds = {each.kind for each in group.groups}
        if kinds & {"latch", "statetable", "latch_bank", "ff_bank"}:
            raise UnreadableCell("not a gate or a flip-flop")
        if len(outputs) != 1:
            raise UnreadableCell("no output" if not outputs else "several outputs")
        if "three_state" in pins[outputs[0]].values:
            raise UnreadableCell("its output can float")
        output, clock, function = outputs[0], "", pins[outputs[0]].values["function"]
        tied: dict[str, int] = {}
        reader = self
        if flip_flop := next(group.of("ff"), None):
            clock, function, tied = _read_flip_flop(flip_flop, function, pins)
        else:  # some kits name the output in conditions
            reader = replace(self, alias={output: f"({function})"})
        return reader.make_cell(group, pins, output, clock, function, tied)

    def make_cell(
        self, group: Group, pins: Mapping[str, Group], output: str, clock: str, function: str,
        tied: Mapping[str, int],
    ) -> Cell:  # fmt: skip
        """Return a cell; ``tied``: resets with the constants that keep them inactive."""
        inputs = tuple(name for name in pins if name not in (output, clock, *tied))
        if len(inputs) > MOST_INPUTS:
            raise UnreadableCell(f"more than {MOST_INPUTS} inputs")
        driven = (*inputs, clock) if clock else inputs
        seen = (*driven, output) if clock else inputs
        out = pins[output]
        setups = [
            max(map(max, self._table(each, self.units.ns)[2]))
            for pin in pins.values()
            for part in pin.of("timing")
            if part.values.get("timing_type") == "setup_rising"
            for each in part.groups
        ]
        return Cell(
            group.names[0],
            number(group.values["area"]),
            self.leakage_nw(group),
            inputs,
            output,
            truth_table(function, inputs),
            clock,
            tied,
            {name: self.capacitance_pf(pins[name]) for name in driven},
            {edge: self.tables(out, f"cell_{edge}", tied) for edge in EDGES},
            {edge: self.tables(out, f"{edge}_transition", tied) for edge in EDGES},
            {edge: self.arcs(out, f"{edge}_power", seen, tied) for edge in EDGES},
            {name: {edge: self.arcs(pins[name], f"{edge}_power", seen, tied) for edge in EDGES}
             for name in driven},
            max(setups, default=0.0),
        )  # fmt: skip

    def capacitance_pf(self, pin: Group) -> float:
        names = [
            name for name in ("rise_capacitance", "fall_capacitance") if name in pin.values
        ]  # fmt: skip
        if "capacitance" in pin.values or not names:
            default = self.defaults.get("default_input_pin_cap")
            text = pin.values.get("capacitance", default)
            if text is None:
                raise KeyError("capacitance")
            return number(text) * self.units.pf
        return fmean(number(pin.values[name]) for name in names) * self.units.pf

    def leakage_nw(self, group: Group) -> float:
        """Return the stated leakage of a cell in nW: the sum over supplies of state means."""
        if self.units.nw is None:
            raise UnreadableCell("its library has no leakage_power_unit")
        if "cell_leakage_power" in group.values:
            return number(group.values["cell_leakage_power"]) * self.units.nw
        supplies: dict[str, dict[bool, list[float]]] = {}
        for part in group.of("leakage_power"):
            supply = supplies.setdefault(part.values.get("related_pg_pin", ""), {})
            value = number(part.values["value"])
            supply.setdefault("when" in part.values, []).append(value)
        if supplies:
            return self.units.nw * sum(
                fmean(each.get(False) or each[True]) for each in supplies.values()
            )
        if "default_cell_leakage_power" in self.defaults:
            return number(self.defaults["default_cell_leakage_power"]) * self.units.nw
        raise KeyError("cell_leakage_power")

    def tables(self, pin: Group, kind: str, tied: Mapping[str, int]) -> tuple[Table, ...]:
        parts = (part for part in pin.of("timing") if part.values.get("related_pin") not in tied)
        return tuple(self._table(each, self.units.ns) for part in parts for each in part.of(kind))

    def arcs(
        self, pin: Group, kind: str, seen: tuple[str, ...], tied: Mapping[str, int]
    ) -> tuple[Arc, ...]:
        found = []
        for part in pin.of("internal_power"):
            related, when = (part.values.get(name, "") for name in ("related_pin", "when"))
            for pin_name, instead in self.alias.items():
                when = re.sub(rf"\b{re.escape(pin_name)}\b", instead, when)
            if related not in tied:
                holds = truth_table(when, seen, tied) if when else None
                found += [
                    (related, holds, self._table(each, self.units.pj)) for each in part.of(kind)
                ]
        return tuple(found)

    def setup_tables(self, pin: Group, kind: str, clock: str) -> tuple[Table, ...]:
        """Return the setup times of a pin before an edge of a clock, in ns."""
        parts = (
            part for part in pin.of("timing")
            if part.values.get("timing_type", "").startswith("setup")
            and part.values.get("related_pin") == clock
        )  # fmt: skip
        return tuple(self._table(each, self.units.ns) for part in parts for each in part.of(kind))

    def _table(self, group: Group, unit: float) -> Table:
        """Return a table with its values multiplied by a unit, and its axes in pF and ns."""

        def numbers(name: str, of: float) -> tuple[float, ...]:
            text = group.values[name] if name in group.values else shape[name]
            return tuple(number(each) * of for each in text.replace(",", " ").split())

        if group.names[0] == "scalar":
            shape: Mapping[str, str] = {}
            (value,) = numbers("values", unit)
            return (0.0,), (0.0, 1.0), ((value, value),)
        shape = self.shapes[group.names[0]].values
        values = numbers("values", unit)
        names = [name for name in ("1", "2") if f"variable_{name}" in shape]
        of = [
            self.units.pf if shape[f"variable_{name}"] in _LOADS else self.units.ns
            for name in names
        ]  # fmt: skip
        axes = [numbers(f"index_{name}", one) for name, one in zip(names, of, strict=True)]
        if len(values) != prod(map(len, axes)) or any(
            list(each) != sorted(set(each)) for each in axes
        ):
            raise ValueError(values)
        if len(axes) == 1:
            if shape["variable_1"] in _LOADS:
                return axes[0], (0.0, 1.0), tuple((each, each) for each in values)
            return (0.0,), axes[0], (values,)
        first, second = axes
        rows = [values[k : k + len(second)] for k in range(0, len(values), len(second))]
        if shape["variable_1"] in _LOADS:
            return first, second, tuple(rows)
        return second, first, tuple(zip(*rows, strict=True))


def cell_reader(library: Group, path: Path) -> tuple[CellReader, float]:
    """Return the reader of the cells of a library, and its voltage.

    Raises:
        GnomonError: if a unit or the voltage is invalid.
    """
    units = Units.from_library(library, path)
    shapes = {
        each.names[0]: each
        for each in library.of("lu_table_template", "power_lut_template")
        if each.names
    }
    try:
        volt = number(library.values["nom_voltage"]) * units.volt
    except (KeyError, ValueError):
        raise GnomonError(f"{path}:{library.line}: nom_voltage: not a number of V") from None
    return CellReader(shapes, units, library.values), volt


_LOADS = ("total_output_net_capacitance", "equal_or_opposite_output_net_capacitance")


def strip_brackets(function: str) -> str:
    """Return a function without outer brackets."""
    function = function.strip()
    while function.startswith("(") and function.endswith(")"):
        inside = function[1:-1]
        depth = lowest = 0
        for sign in inside:
            depth += (sign == "(") - (sign == ")")
            lowest = min(lowest, depth)
        if depth or lowest < 0:
            break
        function = inside.strip()
    return function


def _read_flip_flop(
    group: Group, shown: str, pins: Mapping[str, Group]
) -> tuple[str, str, dict[str, int]]:
    """Return clock, function of the next output, and resets of a flip-flop."""
    clock, function = (strip_brackets(group.values[name]) for name in ("clocked_on", "next_state"))
    if clock not in pins:
        raise UnreadableCell("its clock is not a rising edge of a pin")
    if "preset" in group.values:
        raise UnreadableCell("it has a preset")
    if function not in pins:
        raise UnreadableCell("its next_state does not name a pin")
    output = strip_brackets(shown)
    if len(group.names) > 1 and output in (group.names[1], f"!{group.names[0]}"):
        function = f"!{function}"
    elif output != group.names[0]:
        raise UnreadableCell("its output is not its state")
    tied = {}
    reset = re.fullmatch(r"(!?)\s*(\w+)\s*('?)", strip_brackets(group.values.get("clear", "")))
    if reset is not None:
        tied[reset[2]] = int(bool(reset[1] or reset[3]))
    elif "clear" in group.values:
        raise UnreadableCell("its reset is not one pin")
    return clock, function, tied


def truth_table(
    function: str, inputs: tuple[str, ...], tied: Mapping[str, int] | None = None
) -> int:
    """Return the truth table of a function: bit k is its value if input i has bit i of k.

    Raises:
        GnomonError: if a word of the function is not an input.
        IndexError: if the function ends too early.
    """
    every = (1 << (1 << len(inputs))) - 1
    columns = {
        name: sum(1 << k for k in range(1 << len(inputs)) if k >> i & 1)
        for i, name in enumerate(inputs)
    } | {name: every * value for name, value in (tied or {}).items()}
    words = _FUNCTION.findall(function)

    def binary(level: int) -> int:
        signs = (("+", "|"), ("^",), ("&", "*"))[level]
        value = binary(level + 1) if level < len(_LEVELS) else unary()
        while words and (words[0] in signs or (level == len(_LEVELS) and words[0] not in "+|^)'")):
            if words[0] in signs:
                words.pop(0)
            other = binary(level + 1) if level < len(_LEVELS) else unary()
            value = (value | other, value ^ other, value & other)[level]
        return value

    def unary() -> int:
        word = words.pop(0)
        if word == "!":
            return every ^ unary()
        if word == "(":
            value = binary(0)
            words.pop(0)
        elif word in "01":
            value = every * int(word)
        elif word in columns:
            value = columns[word]
        else:
            raise GnomonError(f"function {function!r}: {word!r} is not an input")
        while words and words[0] == "'":
            words.pop(0)
            value ^= every
        return value

    return binary(0)


_LEVELS = ("or", "exclusive or")  # operators that bind less than "and"
