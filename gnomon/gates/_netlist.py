"""RTL as cells of a library: synthesis with yosys and abc, buffers, and hierarchy in names."""

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gnomon.arch import Architecture, rtl_parameters
from gnomon.base.cache import Store
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.gates._liberty import Library, mean_delay_ns
from gnomon.gates._liberty_text import liberty_text
from gnomon.rtl.designs import MACHINE_SOURCES, MEMORY, Design, hdl_folder
from gnomon.rtl.machine import MachineCore
from gnomon.rtl.tools import last_lines, run, tool

_MOST_SINKS = 8
_FORMAT = 3  # of cached netlists
_BUFFER = 0b10
_TYPICAL_LOAD_PF = 0.1
_CONSTANTS = {"0": 0, "1": 1, "x": 0, "z": 0}
# Parameters of a machine that the top module has under equal names.
_OF_TOP = (
    "HARTS", "SIMD", "SHARING", "SPM_COUNT", "SPM_BYTES", "SPM_BASE", "SCALED", "POSTSCALE",
    "LANE_DIVIDER", "DIVIDE_ZERO_RISCV", "DIVIDER", "RESET_PC", "CORE_QUIRKS", "VCU_QUIRKS",
)  # fmt: skip
# Buffers bound the fan-out. Without them a net has up to 1,000 sinks and an unrealistic delay.
ABC = "+strash;dch,-f;map,-B,0.9;topo;buffer,-c,-N,8;topo;upsize;dnsize"


@dataclass(frozen=True, slots=True)
class Instance:
    """A cell or a memory; net 0 is constant 0, net 1 constant 1."""

    kind: str
    unit: str  # path of the RTL instance that contains it
    nets: dict[str, tuple[int, ...]]  # by pin
    parameters: Mapping[str, int]
    word: str = ""  # for a flip-flop: the RTL signal of which it is a bit


@dataclass(frozen=True, slots=True)
class Netlist:
    """Instances in the order of the netlist, and ports of the top module."""

    ports: Mapping[str, tuple[int, ...]]
    instances: tuple[Instance, ...]

    def all_nets(self) -> Iterable[tuple[int, ...]]:
        """Return the nets of every pin and port."""
        return chain(*(each.nets.values() for each in self.instances), self.ports.values())

    def digest(self, library: Library) -> str:
        """Return the digest of the cells and their connections."""
        cells = [(each.kind, each.unit, sorted(each.nets.items()), sorted(each.parameters.items()))
                 for each in self.instances]  # fmt: skip
        return digest((library.name, cells))

    def record(self, library: Library) -> list[dict[str, str | int | float]]:
        """Return a row for each unit: cells, flip-flops, area, leakage."""
        counts: dict[str, Counter[str]] = {}
        for each in self.instances:
            counts.setdefault(each.unit, Counter())[each.kind] += 1
        rows: list[dict[str, str | int | float]] = []
        for unit, kinds in sorted(counts.items()):
            memories = kinds.pop(MEMORY, 0)
            cells = {library.cells[kind]: count for kind, count in kinds.items()} if kinds else {}
            # Of the parts of a cell, one has its area.
            whole = {cell: count for cell, count in cells.items() if cell.area_um2}
            rows.append(
                {
                    "unit": unit, "cells": sum(whole.values()), "memories": memories,
                    "flip_flops": sum(n for cell, n in whole.items() if cell.clock),
                    "area_um2": sum(n * cell.area_um2 for cell, n in cells.items()),
                    "leakage_nw": round(sum(n * c.leakage_nw for c, n in cells.items()), 4),
                }
            )  # fmt: skip
        return rows


def machine_netlist(architecture: Architecture, liberty: Path, library: Library) -> Netlist:
    """Return the netlist of a machine; it is cached.

    Raises:
        GnomonError: if gnomon's RTL cannot be this machine, yosys is missing or fails, or the
            netlist has a cell that the library lacks.
    """
    return netlist("t13", top_parameters(architecture), MACHINE_SOURCES, liberty, library)


def top_parameters(architecture: Architecture) -> dict[str, str]:
    """Return the parameters of the top module of a machine, by name.

    Raises:
        GnomonError: if gnomon's RTL cannot be this machine; the message has every reason.
    """
    MachineCore.parameters(architecture)  # raises if gnomon's RTL cannot be this machine
    if architecture.units:
        names = ", ".join(each.name for each in architecture.units)
        raise GnomonError(
            f"{architecture.name}: units = {names}: a unit is synthesized alone (gnomon rtl unit)"
        )
    every = {each.split()[-1]: value for each, value in rtl_parameters(architecture).items()}
    return {name: every[name] for name in _OF_TOP}


def netlist(
    top: str,
    parameters: Mapping[str, str],
    sources: Sequence[str],
    liberty: Path,
    library: Library,
) -> Netlist:
    """Return the netlist of a module of gnomon's RTL with its parameters."""
    settings = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    steps = (
        f"read_verilog -sv -lib {MEMORY}.sv",
        f"read_verilog -sv {' '.join(name for name in sources if name != f'{MEMORY}.sv')}",
        *([f"chparam {settings} {top}"] if settings else []),
        f"synth -top {top}",
    )
    return cells_of(Design(top, machine_sources(sources), steps), liberty, library)


def machine_sources(names: Sequence[str] = MACHINE_SOURCES) -> dict[str, bytes]:
    """Return files of gnomon's RTL by name, first the module that stays a memory."""
    folder = hdl_folder()
    return {name: (folder / name).read_bytes() for name in (f"{MEMORY}.sv", *names)}


def cells_of(design: Design, liberty: Path, library: Library) -> Netlist:
    """Return the netlist of a design; it is cached.

    Raises:
        GnomonError: if yosys is missing or fails, or the netlist has a cell that the library lacks,
            another clock than ``clk``, or another reset of flip-flops than ``rst_n``.
    """
    yosys, top = tool("yosys").check(), design.top
    steps = [
        *design.steps,
        f"dfflegalize -cell {_flip_flop_cell(library)} 0",  # start value 0, as in simulation
        "dfflibmap -liberty cells.lib",
        f"abc -liberty cells.lib -script {ABC}",
        "setundef -zero",
        "flatten",
        "opt_clean -purge",
        "write_json netlist.json",
    ]
    key = digest((_FORMAT, steps, list(design.files.values()), liberty.read_bytes(), yosys.version))
    store = Store("gates", ".json.z")
    entry = store.load(key)
    if entry is None:
        with TemporaryDirectory() as work:
            place = Path(work)
            for name, content in design.files.items():
                (place / name).write_bytes(content)
            cells = trim_library(liberty_text(liberty), library)
            (place / "cells.lib").write_text(cells, encoding="utf-8")
            done = run([str(yosys.path), "-q", "-p", "; ".join(steps)], place)
            if done.returncode:
                end = last_lines(done.stderr or done.stdout, 3)
                raise GnomonError(f"{top}: yosys reports: {end}")
            raw = json.loads((place / "netlist.json").read_bytes())["modules"][top]
        entry = store.keep(key, zlib.compress(json.dumps(_netlist_json(raw, library)).encode(), 6))
    ports, rows = json.loads(zlib.decompress(entry.data))
    found = Netlist(  # buffered again below: abc does not buffer the inputs of a module
        {name: tuple(nets) for name, nets in ports.items()},
        tuple(Instance(kind, unit, {pin: tuple(nets) for pin, nets in pins.items()}, given, word)
              for kind, unit, pins, given, word in rows),
    )  # fmt: skip
    unknown = {each.kind for each in found.instances} - {*library.cells, MEMORY}
    if unknown:
        raise GnomonError(f"{top}: {', '.join(sorted(unknown))}: not a cell that can be simulated")
    clock, reset = found.ports.get("clk"), found.ports.get("rst_n")
    for each in found.instances:
        cell = library.cells.get(each.kind)
        if cell and cell.clock and each.nets[cell.clock] != clock:
            raise GnomonError(f"{top}: the clock of {each.kind} in {each.unit} is not clk")
        for pin, value in cell.tied.items() if cell else ():
            if each.nets[pin] != (value,) and not (value and each.nets[pin] == reset):
                raise GnomonError(
                    f"{top}: a reset of {each.kind} in {each.unit} is neither tied nor rst_n"
                )
    return add_buffers(found, library)


def _flip_flop_cell(library: Library) -> str:
    """Return the yosys cell of the flip-flops of a library, preferably one without reset.

    Raises:
        GnomonError: if the library has no flip-flop that can be simulated.
    """
    resets = {tuple(cell.tied.values()) for cell in library.cells.values() if cell.clock}
    if not resets:
        others = f"; left out: {library.without()}" if library.left_out else ""
        raise GnomonError(f"{library.name}: has no flip-flop that can be simulated{others}")
    return {(): "$_DFF_P_", (0,): "$_DFF_PP0_", (1,): "$_DFF_PN0_"}[min(resets)]


def trim_library(text: str, library: Library) -> str:
    """Return the text of a library without unsupported cells, so that yosys uses none of them."""
    starts = [found.start() for found in re.finditer(r"^\s*cell\s*\(", text, re.MULTILINE)]
    parts, end = [text[: starts[0]]], starts[0]
    for start in starts:
        parts.append(text[end:start])
        end, depth = text.index("{", start) + 1, 1
        while depth:
            end = (
                min(place for place in (text.find("{", end), text.find("}", end)) if place >= 0) + 1
            )
            depth += 1 if text[end - 1] == "{" else -1
        if text[text.index("(", start) + 1 : text.index(")", start)].strip(' "') in library.cells:
            parts.append(text[start:end])
    return "".join([*parts, text[end:]])


def add_buffers(unbuffered: Netlist, library: Library) -> Netlist:
    """Add trees of buffers to nets with more than ``_MOST_SINKS``, in the units of the sinks.

    Raises:
        GnomonError: if the library has no buffer.
    """
    found = [each for each in library.cells.values() if each.truth == _BUFFER and not each.clock]
    if not found:
        raise GnomonError(f"{library.name}: has no buffer")
    buffer = min(found, key=lambda cell: cell.area_um2 * mean_delay_ns(cell, _TYPICAL_LOAD_PF))
    (pin_in,) = buffer.inputs
    instances = list(unbuffered.instances)
    sinks: dict[int, list[tuple[Instance, str]]] = {}
    for each in instances:
        for pin in library.cells[each.kind].loads if each.kind in library.cells else ():
            sinks.setdefault(each.nets[pin][0], []).append((each, pin))
    free = 1 + max(net for nets in unbuffered.all_nets() for net in nets)
    for net in sorted(sinks):
        left = sorted(sinks[net], key=lambda sink: sink[0].unit) if net > 1 else []
        while len(left) > _MOST_SINKS:
            groups = [left[k : k + _MOST_SINKS] for k in range(0, len(left), _MOST_SINKS)]
            left = []
            for group in groups:
                for each, pin in group:
                    each.nets[pin] = (free,)
                pins: dict[str, tuple[int, ...]] = {pin_in: (net,), buffer.output: (free,)}
                instances.append(Instance(buffer.name, group[0][0].unit, pins, {}))
                left.append((instances[-1], pin_in))
                free += 1
    return Netlist(unbuffered.ports, tuple(instances))


def _netlist_json(
    module: Mapping[str, Any], library: Library
) -> tuple[dict[str, list[int]], list[Any]]:
    def nets(bits: Sequence[int | str]) -> list[int]:
        return [_CONSTANTS[bit] if isinstance(bit, str) else bit for bit in bits]

    def row(name: str, cell: Mapping[str, Any]) -> tuple[Any, ...]:
        pins = {pin: nets(bits) for pin, bits in cell["connections"].items()}
        given = {key: int(value, 2) for key, value in cell["parameters"].items()}
        known = library.cells.get(cell["type"])
        word = words[pins[known.output][0]] if known and known.clock else ""
        return cell["type"], unit_of(name), pins, given, word

    ports = {name: nets(port["bits"]) for name, port in module["ports"].items()}
    words: dict[int, str] = {}
    # A net with several names gets the shortest one; names of yosys come last.
    for name in sorted(module["netnames"], key=lambda each: ("$" in each, len(each), each)):
        for bit in nets(module["netnames"][name]["bits"]):
            words.setdefault(bit, name)
    return ports, [row(name, cell) for name, cell in module["cells"].items()]


def unit_of(name: str) -> str:
    """Return the instance of a flattened cell, such as ``core.execute.alu``."""
    words = name.removeprefix("$flatten").replace("\\", "").split(".")
    end = next((k for k, word in enumerate(words) if "$" in word), len(words) - 1)
    return ".".join(words[:end]) or "top"
