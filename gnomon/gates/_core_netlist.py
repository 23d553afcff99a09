"""Any design as cells of a library, with clocks, sets, resets, latches and clock gates as they are.

Flip-flops start at the initial values of the RTL, others at 0.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gnomon.base.cache import Store
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.gates._liberty_text import liberty_text
from gnomon.gates._mapping import mapping_steps
from gnomon.gates._netlist import ABC, Instance, Netlist, add_buffers, trim_library, unit_of
from gnomon.rtl.tools import Tool, last_lines, run

if TYPE_CHECKING:
    from gnomon.gates._parts import WholeLibrary
    from gnomon.rtl.designs import Design

_FORMAT = 1  # of cached netlists
_CONSTANTS = {"0": 0, "1": 1, "x": 0, "z": 0}


@dataclass(frozen=True, slots=True)
class CoreNetlist:
    """A netlist of parts of cells.

    Attributes:
        netlist: instances and ports.
        inputs: names of the input ports.
        outputs: names of the output ports.
        ones: nets that start at 1.
    """

    netlist: Netlist
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    ones: frozenset[int]


def synthesize_core(design: Design, liberty: Path, whole: WholeLibrary, yosys: Tool) -> CoreNetlist:
    """Return the netlist of a design; it is cached.

    Args:
        design: the steps end with ``synth``.
        liberty: file of the library.
        whole: the library.
        yosys: the synthesizer.

    Raises:
        GnomonError: if yosys fails, or the netlist has a cell that the library lacks.
    """
    elements, text = mapping_steps(whole)
    steps = [
        *design.steps, *elements, f"abc -liberty cells.lib -script {ABC}", "setundef -zero",
        "flatten", "opt_clean -purge", "write_json netlist.json",
    ]  # fmt: skip
    files = {**design.files, "elements.v": text.encode(),
             "cells.lib": trim_library(liberty_text(liberty), whole.gates).encode()}  # fmt: skip
    store = Store("gates-core", ".json.z")
    key = digest((_FORMAT, steps, sorted(files.items()), yosys.version))
    entry = store.load(key)
    if entry is None:
        with TemporaryDirectory() as work:
            place = Path(work)
            for name, content in files.items():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(content)
            done = run([str(yosys.path), "-q", "-p", "; ".join(steps)], place)
            if done.returncode:
                end = last_lines(done.stderr or done.stdout, 3)
                raise GnomonError(f"{design.top}: yosys reports: {end}")
            module = json.loads((place / "netlist.json").read_bytes())["modules"][design.top]
        kept = {name: module[name] for name in ("ports", "cells", "netnames")}
        entry = store.keep(key, zlib.compress(json.dumps(kept).encode(), 6))
    return _read_module(design.top, json.loads(zlib.decompress(entry.data)), whole)


def _nets(bits: Sequence[int | str]) -> tuple[int, ...]:
    return tuple(_CONSTANTS[bit] if isinstance(bit, str) else bit for bit in bits)


def _read_module(top: str, module: Mapping[str, Any], whole: WholeLibrary) -> CoreNetlist:
    ports, cells, names = module["ports"], module["cells"], module["netnames"]
    unknown = {each["type"] for each in cells.values()} - set(whole.parts)
    if unknown:
        raise GnomonError(f"{top}: {', '.join(sorted(unknown))}: not a cell that can be simulated")
    both = [name for name, port in ports.items() if port["direction"] == "inout"]
    if both:
        raise GnomonError(f"{top}: {', '.join(both)}: a port that is input and output")
    words: dict[int, str] = {}
    # A net with several names gets the shortest one; names of yosys come last.
    for name in sorted(names, key=lambda each: ("$" in each, len(each), each)):
        for net in _nets(names[name]["bits"]):
            words.setdefault(net, name)
    used = (_nets(row["bits"]) for row in (*names.values(), *ports.values()))
    free = 2 + max(chain.from_iterable(used), default=1)
    instances: list[Instance] = []
    for name, cell in cells.items():
        found = list(_expand(name, cell, whole, words, free))
        free += sum(len(each.nets) for each in found)
        instances += found
    netlist = Netlist({name: _nets(port["bits"]) for name, port in ports.items()},
                      tuple(instances))  # fmt: skip
    inputs, outputs = (
        tuple(name for name, port in ports.items() if port["direction"] == kind)
        for kind in ("input", "output")
    )
    ones = frozenset(_list_ones(names))
    return CoreNetlist(add_buffers(netlist, whole.library), inputs, outputs, ones)


def _expand(
    name: str, cell: Mapping[str, Any], whole: WholeLibrary, words: Mapping[int, str], free: int
) -> Iterator[Instance]:
    """Yield the parts of a cell; inner nets are numbered from ``free``."""
    nets = {pin: _nets(bits) for pin, bits in cell["connections"].items()}
    parts = whole.parts[cell["type"]]
    for pin in dict.fromkeys(pin for part in parts for pin in (*part.inputs, part.output)):
        if not nets.get(pin):
            nets[pin] = (free,)
            free += 1
    for part in parts:
        pins = (*part.inputs, part.output, *filter(None, (part.clock,)), *part.asynchronous)
        word = words.get(nets[part.output][0], name) if part.clock else ""
        own = {pin: nets[pin] for pin in pins}
        yield Instance(part.name, unit_of(name), own, {}, word)


def _list_ones(names: Mapping[str, Any]) -> Iterator[int]:
    """Yield the nets whose initial value in the RTL is 1."""
    for row in names.values():
        init = row.get("attributes", {}).get("init", "")
        for net, value in zip(_nets(row["bits"]), reversed(str(init)), strict=False):
            if value == "1" and net > 1:
                yield net
