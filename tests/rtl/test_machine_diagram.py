"""The block diagram of docs/notes/rtl-machine.md is that of the elaborated design."""

from __future__ import annotations

import json
import subprocess
from collections import Counter, defaultdict
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.rtl.designs import MACHINE_SOURCES, hdl_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.rtl import Tool

PAGE = Path(__file__).parents[2] / "docs" / "notes" / "rtl-machine.md"
DEEPEST = 3  # levels of modules
FEWEST_BITS = 8  # of an arrow


def modules_of(synthesizer: Tool, folder: Path) -> dict[str, Any]:
    """Modules of the machine with its default parameters, as yosys elaborates them."""
    path = folder / "design.json"
    steps = (f"read_verilog -sv {' '.join(MACHINE_SOURCES)}", "hierarchy -top t13", "proc",
             "opt_clean", f"write_json {path}")  # fmt: skip
    command = [str(synthesizer.path), "-q", "-p", "; ".join(steps)]
    subprocess.run(command, cwd=hdl_folder(), check=True)
    modules: dict[str, Any] = json.loads(path.read_text())["modules"]
    return modules


def lines_of(modules: dict[str, Any], module: str, ids: Iterator[int], depth: int) -> Iterator[str]:
    """Blocks of a module and the wires that go from one to another."""
    indent = "  " * (DEEPEST - depth + 1)
    parts = {name: cell for name, cell in modules[module]["cells"].items()
             if cell["type"] in modules}  # fmt: skip
    drivers: dict[int, str] = {}
    readers: defaultdict[int, set[str]] = defaultdict(set)
    for name, cell in parts.items():
        kind = modules[cell["type"]]
        node = f"b{next(ids)}"
        title = f"{name.rpartition('.')[2]}: {source_of(kind)}"
        inside = any(each["type"] in modules for each in kind["cells"].values())
        if inside and depth:
            yield f'{indent}subgraph {node} ["{title}"]'
            yield from lines_of(modules, cell["type"], ids, depth - 1)
            yield f"{indent}end"
        else:
            yield f'{indent}{node}["{title}"]'
        for port, bits in cell["connections"].items():
            for bit in bits:
                if kind["ports"][port]["direction"] == "output":
                    drivers[bit] = node
                else:
                    readers[bit].add(node)
    wires = Counter((driver, reader) for bit, driver in drivers.items()
                    for reader in sorted(readers[bit]))  # fmt: skip
    for (driver, reader), bits in sorted(wires.items()):
        if bits >= FEWEST_BITS and driver != reader:
            yield f"{indent}{driver} -->|{bits}| {reader}"


def source_of(module: dict[str, Any]) -> str:
    return str(module["attributes"]["src"]).split(":")[0]


def diagram(synthesizer: Tool, folder: Path) -> str:
    """As Mermaid, which Git servers draw."""
    lines = lines_of(modules_of(synthesizer, folder), "t13", count(1), DEEPEST)
    return "\n".join(["```mermaid", "flowchart LR", *lines, "```"]) + "\n"


@pytest.mark.heavy("rtl")
def test_the_block_diagram_is_of_the_elaborated_design(synthesizer: Tool, tmp_path: Path) -> None:
    assert diagram(synthesizer, tmp_path) in PAGE.read_text("utf-8")
