"""Energy of a netlist from toggles per net and an own reader of liberty files.

Nothing of gnomon's reader, tables or timing is used: groups by a small scanner, tables by numpy,
slews along the cells, and for each net the edges times half of C V squared and the mean internal
energy, over states; causes weigh by their edges.
"""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from gnomon.gates._netlist import Instance

_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}();:]|[^\s{}();:"]+')
_SLEW = 0.1  # ns, of ports and clocks
_PREFIXES = {"f": 1e-15, "p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3}


@dataclass
class Part:
    """A group of a liberty file."""

    kind: str
    name: str
    values: dict[str, str] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    def all_of(self, kind: str) -> Iterator[Part]:
        return (part for part in self.parts if part.kind == kind)


def read_parts(path: Path) -> Part:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("latin-1")
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL).replace("\\\n", " ")
    words = _WORDS.findall(text)
    top, at = Part("file", ""), 0
    open_parts = [top]
    while at < len(words):
        word, at = words[at], at + 1
        if word == "}":
            open_parts.pop()
        elif word == ";":
            continue
        elif words[at] == ":":
            end = at + 1
            while words[end] != ";" and words[end] != "}" and words[end + 1] != ":":
                end += 1
            open_parts[-1].values[word] = " ".join(words[at + 1 : end]).strip('"')
            at = end
        elif words[at] == "(":
            end = words.index(")", at)
            inside = " ".join(words[at + 1 : end]).replace('"', " ").replace(",", " ")
            at = end + 1
            if at < len(words) and words[at] == "{":
                part = Part(word, " ".join(inside.split()))
                open_parts[-1].parts.append(part)
                open_parts.append(part)
                at += 1
            else:
                open_parts[-1].values[word] = inside
    return top.parts[0]


@dataclass(frozen=True)
class Surface:
    """A table of loads in pF and slews in ns; linear between and beyond its points."""

    loads: npt.NDArray[np.float64]
    slews: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]

    def at(self, load: float, slew: float) -> float:
        rows = [_line(self.slews, row, slew) for row in self.values]
        return _line(self.loads, np.array(rows), load)


def _line(axis: npt.NDArray[np.float64], values: npt.NDArray[np.float64], at: float) -> float:
    if len(axis) == 1:
        return float(values[0])
    place = int(np.clip(np.searchsorted(axis, at) - 1, 0, len(axis) - 2))
    share = (at - axis[place]) / (axis[place + 1] - axis[place])
    return float(values[place] + share * (values[place + 1] - values[place]))


class Cells:
    """Cells of a library in pF, ns and pJ."""

    def __init__(self, path: Path) -> None:
        library = read_parts(path)
        self.volt = float(library.values["nom_voltage"])
        count, unit = library.values["capacitive_load_unit"].split()
        self.pf = float(count) * (1e-3 if unit.lower() == "ff" else 1.0)
        found = re.match(r"([\d.]+)\s*(\w)s", library.values["time_unit"])
        assert found is not None
        self.ns = float(found[1]) * _PREFIXES[found[2]] * 1e9
        milli = library.values.get("voltage_unit", "1V").endswith("mV")
        self.pj = self.pf * (1e-6 if milli else 1.0)  # unit of internal energies: C V squared
        kinds = ("lu_table_template", "power_lut_template")
        self.shapes = {part.name: part for kind in kinds for part in library.all_of(kind)}
        self.default = library.values.get("default_input_pin_cap", "0")
        self.cells = {part.name: part for part in library.all_of("cell")}
        self._pins = {
            name: {pin: part for part in cell.all_of("pin") for pin in part.name.split()}
            for name, cell in self.cells.items()
        }

    def pin(self, cell: str, name: str) -> Part:
        return self._pins[cell][name]

    def capacitance(self, cell: str, name: str) -> float:
        return float(self.pin(cell, name).values.get("capacitance", self.default)) * self.pf

    def surface(self, part: Part, unit: float) -> Surface:
        def numbers(text: str) -> npt.NDArray[np.float64]:
            return np.array(text.replace(",", " ").split(), dtype=np.float64)

        shape = self.shapes.get(part.name, Part("", ""))
        values = numbers(part.values["values"]) * unit
        axes, order = [], []
        for number in ("1", "2"):
            text = part.values.get(f"index_{number}") or shape.values.get(f"index_{number}")
            variable = shape.values.get(f"variable_{number}")
            if text is None or variable is None:
                continue
            is_load = "capacitance" in variable
            order.append(is_load)
            axes.append(numbers(text) * (self.pf if is_load else self.ns))
        one = np.zeros(1)
        if len(axes) == 2:
            grid = values.reshape(len(axes[0]), len(axes[1]))
            return (
                Surface(axes[0], axes[1], grid) if order[0] else Surface(axes[1], axes[0], grid.T)
            )
        if len(axes) == 1:
            grid = values.reshape(-1, 1) if order[0] else values.reshape(1, -1)
            return Surface(axes[0], one, grid) if order[0] else Surface(one, axes[0], grid)
        return Surface(one, one, values.reshape(1, 1))

    def mean(
        self, parts: Sequence[Part], kind: str, unit: float, load: float, slew: float
    ) -> float:
        """The mean over the groups that have this table; 0 if none has."""
        found = [self.surface(each, unit).at(load, slew)
                 for part in parts for each in part.all_of(kind)]  # fmt: skip
        return fmean(found) if found else 0.0


def energy_pj(cells: Cells, instances: Sequence[Instance], toggles: npt.NDArray[np.int64]) -> float:
    """Energy of the edges of all nets; instances in any order, loops of flip-flops allowed."""
    driven: dict[int, tuple[str, str, dict[str, int]]] = {}  # cell, output pin, nets of inputs
    sinks: dict[int, list[tuple[str, str]]] = defaultdict(list)
    clocked = set[int]()
    for each in instances:
        pins = {name: nets[0] for name, nets in each.nets.items() if nets}
        is_output = {name: cells.pin(each.kind, name).values["direction"] == "output"
                     for name in pins}  # fmt: skip
        clocks = {name for name in pins if cells.pin(each.kind, name).values.get("clock") == "true"}
        ins = {name: net for name, net in pins.items() if not is_output[name]}
        for name, net in pins.items():
            if is_output[name]:
                driven[net] = each.kind, name, ins
                if clocks or any(cells.cells[each.kind].all_of("ff")):
                    clocked.add(net)
            elif name not in clocks:
                sinks[net].append((each.kind, name))
    load = {net: sum(cells.capacitance(*sink) for sink in sinks[net]) for net in sinks}
    slew: dict[int, float] = {}
    known_to_be_slow: list[int] = list(driven)
    while known_to_be_slow:
        net = known_to_be_slow.pop()
        if net in slew:
            continue
        kind, name, ins = driven[net]
        missing = (
            [] if net in clocked else [k for k in ins.values() if k in driven and k not in slew]
        )
        if missing:
            known_to_be_slow += [net, *missing]
            continue
        came = _SLEW if net in clocked else fmean(slew.get(k, _SLEW) for k in ins.values())
        timing = list(cells.pin(kind, name).all_of("timing"))
        slew[net] = fmean(
            cells.mean(timing, f"{edge}_transition", cells.ns, load.get(net, 0.0), came)
            for edge in ("rise", "fall")
        )
    total = 0.0
    for net in range(2, len(toggles)):
        if not toggles[net]:
            continue
        own = load.get(net, 0.0)
        each_edge = own * cells.volt**2 / 2
        if net in driven:
            kind, name, ins = driven[net]
            causes = (
                {}
                if net in clocked
                else {pin: (slew.get(k, _SLEW), float(toggles[k])) for pin, k in ins.items()}
            )
            each_edge += _of_output(cells, kind, name, own, causes)
        for kind, name in sinks[net]:
            each_edge += _of_pin(cells, kind, name, 0.0, slew.get(net, _SLEW))
        total += int(toggles[net]) * each_edge
    return total


def _of_output(
    cells: Cells, kind: str, name: str, load: float, causes: Mapping[str, tuple[float, float]]
) -> float:
    """Internal energy of an edge of an output: causes weigh by the edges of their nets."""
    parts: dict[str, list[Part]] = defaultdict(list)
    for part in cells.pin(kind, name).all_of("internal_power"):
        for pin in part.values.get("related_pin", "").split():
            parts[pin].append(part)
    weighed = {pin: causes.get(pin, (_SLEW, 1.0)) for pin in parts}
    total = sum(weight for _, weight in weighed.values())
    found = 0.0
    for pin, each in parts.items():
        slew, weight = weighed[pin]
        edges = (cells.mean(each, f"{edge}_power", cells.pj, load, slew)
                 for edge in ("rise", "fall"))  # fmt: skip
        found += fmean(edges) * (weight / total if total else 1 / len(parts))
    return found


def _of_pin(cells: Cells, kind: str, name: str, load: float, slew: float) -> float:
    """Internal energy of an edge of a pin: the mean of rise and fall, over causes and states."""
    parts = list(cells.pin(kind, name).all_of("internal_power"))
    return fmean(
        cells.mean(parts, f"{edge}_power", cells.pj, load, slew) for edge in ("rise", "fall")
    )
