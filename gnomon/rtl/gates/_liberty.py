"""Reads what gate simulation needs of a liberty library: functions, capacitances, tables."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, prod
from pathlib import Path
from statistics import fmean

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text

_NOISE = re.compile(r"/\*.*?\*/|\\\n", re.DOTALL)
_TOKEN = re.compile(r'"[^"]*"|[{}():;,]|[^\s{}():;,"]+|\n')
_FUNCTION = re.compile(r"\w+|[!'&*+|^()]")
_UNITS = {
    "time_unit": "1ns", "voltage_unit": "1V", "leakage_power_unit": "1nW",
    "capacitive_load_unit": "1,pf",
}  # fmt: skip
EDGES = ("rise", "fall")
_MOST_INPUTS = 10  # of a cell, whose truth table has two to that

Table = tuple[tuple[float, ...], tuple[float, ...], tuple[tuple[float, ...], ...]]
"""Loads in pF, slews in ns, values; one load where values depend on the slew alone."""


@dataclass(slots=True)
class _Group:
    kind: str
    line: int
    names: list[str]
    values: dict[str, str] = field(default_factory=dict)
    groups: list["_Group"] = field(default_factory=list)

    def of(self, *kinds: str) -> Iterator["_Group"]:
        return (each for each in self.groups if each.kind in kinds)


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """A combinational cell of one output, or a flip-flop on a rising edge.

    Tables by edge of the output; ``passive``: energy of an input's edge, in pJ, by its slew.
    """

    name: str
    area_um2: float
    leakage_nw: float
    inputs: tuple[str, ...]  # without the clock
    output: str
    truth: int  # bit k: output where input i is bit i of k
    clock: str  # "" without one
    capacitance_pf: Mapping[str, float]
    delay_ns: Mapping[str, tuple[Table, ...]]
    slew_ns: Mapping[str, tuple[Table, ...]]
    energy_pj: Mapping[str, Mapping[str, tuple[Table, ...]]]  # by the input that causes the edge
    passive_pj: Mapping[str, Mapping[str, tuple[Table, ...]]]
    setup_ns: float


@dataclass(frozen=True, slots=True)
class Library:
    """Cells by name. Others of the file, such as latches, are not in it."""

    name: str
    volt: float
    cells: Mapping[str, Cell]


def look_up(table: Table, load_pf: float, slew_ns: float) -> float:
    """Between the points of a table linear, and on beyond them."""
    loads, slews, values = table
    j, v = _place(slews, slew_ns)
    if len(loads) == 1:
        return values[0][j] + v * (values[0][j + 1] - values[0][j])
    i, u = _place(loads, load_pf)
    low = values[i][j] + v * (values[i][j + 1] - values[i][j])
    high = values[i + 1][j] + v * (values[i + 1][j + 1] - values[i + 1][j])
    return low + u * (high - low)


def mean_delay_ns(cell: Cell, load_pf: float, slew_ns: float = 0.1) -> float:
    """Of all inputs and both edges."""
    tables = [table for edge in EDGES for table in cell.delay_ns[edge]]
    return fmean(look_up(table, load_pf, slew_ns) for table in tables)


def _place(axis: Sequence[float], value: float) -> tuple[int, float]:
    place = min(max(bisect_left(axis, value) - 1, 0), len(axis) - 2)
    return place, (value - axis[place]) / (axis[place + 1] - axis[place])


def read_liberty(path: Path) -> Library:
    """Read a library.

    Raises:
        GnomonError: it cannot be read, or has other units than ns, V, pF and nW.
    """
    text = _NOISE.sub(lambda found: "\n" * found[0].count("\n"), read_text(path))
    tokens: list[tuple[str, int]] = []
    line = 1
    for found in _TOKEN.finditer(text):
        if found[0] == "\n":
            line += 1
        else:
            tokens.append((found[0], line))
            line += found[0].count("\n")
    top = _Group("", 1, [])
    _read(tokens, top, path)
    libraries = list(top.of("library"))
    if len(libraries) != 1:
        raise GnomonError(f"{path}: holds {len(libraries)} libraries, not one")
    library = libraries[0]
    for name, wanted in _UNITS.items():
        got = library.values.get(name, "none")
        if got.lower().replace(" ", "") != wanted.lower():
            raise GnomonError(f"{path}: {name} {got}: only {wanted} is read")
    shapes = {
        each.names[0]: each
        for each in library.of("lu_table_template", "power_lut_template")
        if each.names
    }
    try:
        volt = _number(library.values["nom_voltage"])
    except (KeyError, ValueError):
        raise GnomonError(f"{path}:{library.line}: nom_voltage: not a number of V") from None
    cells = (_checked(each, shapes, path) for each in library.of("cell"))
    return Library(" ".join(library.names), volt, {each.name: each for each in cells if each})


def _number(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


def _checked(group: _Group, shapes: Mapping[str, _Group], path: Path) -> Cell | None:
    where = f"{path}:{group.line}: cell {' '.join(group.names)}"
    try:
        return _cell(group, shapes, where)
    except KeyError as missing:
        raise GnomonError(
            f"{where}: {missing} is missing, or is no table of this library"
        ) from None
    except (ValueError, IndexError, RecursionError):
        raise GnomonError(f"{where}: a name, number, table or function is damaged") from None


def _read(tokens: list[tuple[str, int]], top: _Group, path: Path) -> None:
    stack, at = [top], 0
    try:
        while at < len(tokens):
            word, _ = tokens[at]
            if word == "}":
                stack.pop()
                at += 1
            elif word == ";":
                at += 1
            elif tokens[at + 1][0] == ":":
                stack[-1].values[word] = tokens[at + 2][0].strip('"')
                at += 3
            elif tokens[at + 1][0] == "(":
                end = next(k for k in range(at, len(tokens)) if tokens[k][0] == ")")
                names = [each.strip('"') for each, _ in tokens[at + 2 : end] if each != ","]
                at = end + 1
                if tokens[at][0] == "{":
                    group = _Group(word, tokens[at][1], names)
                    stack[-1].groups.append(group)
                    stack.append(group)
                    at += 1
                else:
                    stack[-1].values[word] = ",".join(names)
            else:
                raise GnomonError(f"{path}:{tokens[at][1]}: {word!r} is neither value nor group")
    except (IndexError, StopIteration):
        raise GnomonError(f"{path}: ends inside a group, or a bracket too many") from None
    if stack != [top]:
        raise GnomonError(f"{path}: ends inside a group, or a bracket too many")


def _cell(group: _Group, shapes: Mapping[str, _Group], where: str) -> Cell | None:
    pins = {each.names[0]: each for each in group.of("pin")}
    outputs = [name for name, pin in pins.items() if "function" in pin.values]
    states = list(group.of("ff"))
    kinds = {each.kind for each in group.groups}
    if len(outputs) != 1 or "latch" in kinds or "three_state" in pins[outputs[0]].values:
        return None
    output, clock, function = outputs[0], "", pins[outputs[0]].values["function"]
    if states:
        clock, function = (states[0].values[k] for k in ("clocked_on", "next_state"))
        if clock not in pins or {"clear", "preset"} & set(states[0].values):
            return None
    inputs = tuple(name for name in pins if name not in (output, clock))
    if len(inputs) > _MOST_INPUTS:
        raise GnomonError(f"{where}: {len(inputs)} inputs (at most {_MOST_INPUTS} are read)")
    if any("when" in power.values for pin in pins.values() for power in pin.of("internal_power")):
        raise GnomonError(f"{where}: energy by state (when) is not modelled")

    def tables(pin: _Group, *kinds: str) -> tuple[Table, ...]:
        parts = (each for part in pin.of("timing", "internal_power") for each in part.of(*kinds))
        return tuple(_table(each, shapes) for each in parts)

    def caused(edge: str, pin: str) -> tuple[Table, ...]:
        every = list(out.of("internal_power"))
        its = [part for part in every if pin in part.values.get("related_pin", "").split()]
        tables = (each for part in its or every for each in part.of(f"{edge}_power"))
        return tuple(_table(each, shapes) for each in tables)

    out = pins[output]
    setups = [max(map(max, table[2])) for pin in pins.values() for part in pin.of("timing")
              if part.values.get("timing_type") == "setup_rising"
              for table in (_table(each, shapes) for each in part.groups)]  # fmt: skip
    return Cell(
        group.names[0],
        _number(group.values["area"]),
        _number(group.values["cell_leakage_power"]),
        inputs,
        output,
        truth_table(function, inputs, where),
        clock,
        {name: _number(pin.values["capacitance"]) for name, pin in pins.items()},
        {edge: tables(out, f"cell_{edge}") for edge in EDGES},
        {edge: tables(out, f"{edge}_transition") for edge in EDGES},
        {edge: {pin: caused(edge, pin) for pin in ((clock,) if clock else inputs)}
         for edge in EDGES},
        {name: {edge: tables(pins[name], f"{edge}_power") for edge in EDGES}
         for name in (*inputs, *([clock] if clock else []))},
        max(setups, default=0.0),
    )  # fmt: skip


def _table(group: _Group, shapes: Mapping[str, _Group]) -> Table:
    def numbers(name: str) -> tuple[float, ...]:
        return tuple(_number(each) for each in group.values[name].replace(",", " ").split())

    values, first = numbers("values"), numbers("index_1")
    axes = [first] if "index_2" not in group.values else [first, numbers("index_2")]
    if len(values) != prod(map(len, axes)) or any(list(each) != sorted(set(each)) for each in axes):
        raise ValueError(values)
    shape = shapes[group.names[0]].values
    if "variable_2" not in shape:
        return (0.0,), first, (values,)
    second = numbers("index_2")
    rows = [values[k : k + len(second)] for k in range(0, len(values), len(second))]
    if shape["variable_1"] == "total_output_net_capacitance":
        return first, second, tuple(rows)
    return second, first, tuple(zip(*rows, strict=True))


def truth_table(function: str, inputs: tuple[str, ...], where: str) -> int:
    """The function of a cell: bit k is its value where input i is bit i of k."""
    every = (1 << (1 << len(inputs))) - 1
    columns = {
        name: sum(1 << k for k in range(1 << len(inputs)) if k >> i & 1)
        for i, name in enumerate(inputs)
    }
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
            raise GnomonError(f"{where}: function {function!r}: {word!r} is no input")
        while words and words[0] == "'":
            words.pop(0)
            value ^= every
        return value

    return binary(0)


_LEVELS = ("or", "exclusive or")  # weaker than and
