"""Simulations of gnomon's RTL: built for a parameter file, run on a program.

Icarus builds in less than a second and runs a few thousand cycles per second. Verilator builds in
seconds and runs about 100 times as fast. Builds are cached.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.arch.units.hdl import UNITS_FILE, UNITS_MACRO, units_module
from gnomon.base.cache import cache_folder
from gnomon.base.content import content
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.program import Program
from gnomon.rtl.designs import MACHINE_SOURCES, hdl_folder
from gnomon.rtl.machine._parameters import machine_parameters
from gnomon.rtl.observed import Job, Recorded, memories_of
from gnomon.rtl.tools import Simulator, last_lines, run, tool

_TOP = "t13_platform"
_CLOCK = "t13_clock"
_WAVE = "wave.fst"
_BENCH = ("platform.sv", "clock.sv", "main.cpp")
_LOG_LINES = 20
_MOST_SECONDS = 3600
_HARMLESS = "sorry: constant selects"  # Icarus is then sensitive to all bits of a word
# The compiler gets one file, so it reads Verilator's headers once. Code that runs once is not
# optimized.
_VERILATOR = (
    "--cc", "--exe", "--build", "-O3", "-Wno-fatal", "-Wno-lint", "-MAKEFLAGS",
    "VM_PARALLEL_BUILDS=0 OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O0",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MachineSimulation:
    """A built machine. Modes are arguments of a run, not part of the build."""

    simulator: Simulator
    binary: Path
    architecture: Architecture

    def observe(
        self, program: Program, folder: Path, *, last_cycle: int, waits: int = 0, wave: bool = False
    ) -> Recorded:
        """Run a program up to its exit or a last cycle; files stay in the folder.

        Args:
            program: program to run.
            folder: folder of the simulation.
            last_cycle: cycle limit.
            waits: seed of random response delays of the memories; 0: no delays.
            wave: record all signals of the machine in ``wave.fst``.

        Raises:
            GnomonError: if the program does not fit the memories, or the simulation fails.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("issues.bin", "bus.bin", "memory.bin", "units.bin"):
            (folder / name).unlink(missing_ok=True)
        for name, words in zip(
            ("instruction", "data"), memories_of(program, self.architecture), strict=True
        ):
            lines = [f"@{place:x} {words[place]:08x}\n" for place in np.flatnonzero(words)]
            (folder / f"{name}.hex").write_text("".join(lines) or "@0 0\n", encoding="ascii")
        command = [str(self.binary)] if self.simulator == "verilator" else [
            "vvp", "-N", str(self.binary), *(["-fst"] if wave else [])]  # fmt: skip
        core, data = self.architecture.core, self.architecture.memory.data
        command += [
            f"+last={last_cycle}", f"+superscalar={int(core.superscalar)}",
            f"+count_all={int(core.count_all)}", f"+waits={waits}", f"+dwaits={data.waits}",
            *([f"+wave={_WAVE}"] if wave else []),
        ]  # fmt: skip
        done = run(command, folder, _MOST_SECONDS)
        if done.returncode or not (folder / "issues.bin").is_file():
            end = last_lines(done.stdout + done.stderr, _LOG_LINES)
            raise GnomonError(f"{program.name}: the simulation failed:\n{end}")
        issues, bus = _rows(folder / "issues.bin", 4), _rows(folder / "bus.bin", 4)
        units = _rows(folder / "units.bin", 8) if self.architecture.units else None
        if not (folder / "memory.bin").is_file():
            return Recorded("cycle limit", last_cycle, issues, bus, b"", units)
        memory = self._memory(_rows(folder / "memory.bin", 2))
        return Recorded("exit", int(bus[-1, 0]), issues, bus, memory, units)

    def _memory(self, rows: npt.NDArray[np.uint32]) -> bytes:
        """Return instruction memory followed by data memory, from rows of nonzero words."""
        code, data = self.architecture.memory.instruction, self.architecture.memory.data
        words = np.zeros((code.size + data.size) // 4, dtype="<u4")
        offset = rows[:, 0] - np.uint32(code.base)  # wraps below the base
        after_code = rows[:, 0] - np.uint32(data.base) + np.uint32(code.size)
        words[np.where(offset < code.size, offset, after_code) // 4] = rows[:, 1]
        return words.tobytes()


def simulation_of(
    architecture: Architecture, simulator: Simulator, hdl: Path | None = None
) -> MachineSimulation:
    """Build a machine, or load it from the cache; ``hdl``: SystemVerilog in place of gnomon's.

    Raises:
        GnomonError: if gnomon's RTL cannot be this machine, or the simulator is missing or fails.
    """
    found = tool(simulator)
    if found.path is None:
        found.check()
    plain = _without_modes(machine_parameters(architecture))
    sources = [(hdl or hdl_folder()) / name for name in MACHINE_SOURCES]
    units = unit_files(architecture)
    read = {path.name: path.read_text("utf-8") for path in (*sources, *map(_bench, _BENCH))}
    read |= units
    key = digest((plain, read, simulator, found.version))
    home = cache_folder("rtl-machine")
    binary = home / f"{key}.{simulator}"
    if not binary.is_file():
        with tempfile.TemporaryDirectory(prefix="build-", dir=home) as folder:
            _build(Path(folder), plain, sources, simulator, units).replace(binary)
    return MachineSimulation(simulator, binary, architecture)


def _without_modes(parameters: str) -> str:
    """Return parameters without the name of the machine and the modes, which a run sets."""
    lines = parameters.splitlines(keepends=True)
    modes = ("bit SUPERSCALAR =", "bit COUNT_ALL =")
    return "".join(
        line.split("=")[0] + "= 1'b1;\n" if any(mode in line for mode in modes) else line
        for line in lines
        if not line.startswith("//")
    )


def _bench(name: str) -> Path:
    return content("rtl_tests", "machine", name).resolve()


def unit_files(architecture: Architecture) -> dict[str, str]:
    """Return the SystemVerilog of the units of a machine by file name; empty without units."""
    if not architecture.units:
        return {}
    files = {f"unit.{unit.name}/{name}": text for unit in architecture.units if unit.rtl is not None
             for name, text in unit.rtl.files}  # fmt: skip
    return files | {UNITS_FILE: units_module(architecture.units)}


def _build(
    folder: Path,
    parameters: str,
    sources: Sequence[Path],
    simulator: Simulator,
    units: Mapping[str, str],
) -> Path:
    package = folder / "t13_machine_pkg.svh"
    package.write_text(parameters, encoding="ascii")
    own = [folder / name for name in units]
    for path, text in zip(own, units.values(), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    files = [str(each) for each in (package, *own, *sources, _bench("platform.sv"))]
    places = dict.fromkeys(f"-I{path.parent}" for path in own)  # with files that others include
    files = [f"-D{UNITS_MACRO}", *places] * bool(units) + files
    made = folder / "simulation"
    if simulator == "icarus":
        command = ["iverilog", "-g2012", "-o", str(made), "-s", _CLOCK, *files]
        command.append(str(_bench("clock.sv")))
    else:
        command = ["verilator", *_VERILATOR, "--top-module", _TOP, "--Mdir", str(folder / "made")]
        command += ["-o", str(made), *files, str(_bench("main.cpp"))]
    done = run(command)
    if done.returncode or not made.is_file():
        log = (done.stdout + done.stderr).splitlines()
        end = "\n".join([line for line in log if _HARMLESS not in line][-_LOG_LINES:])
        raise GnomonError(f"our RTL does not build with {simulator}:\n{end}")
    return made


def _rows(path: Path, columns: int) -> npt.NDArray[np.uint32]:
    words = np.fromfile(path, dtype=np.uint32)
    return words[: len(words) // columns * columns].reshape(-1, columns)


@dataclass(frozen=True, slots=True)
class MachineCore:
    """gnomon's RTL as a core for lock-step, built for each requested machine.

    ``hdl``: SystemVerilog in place of gnomon's. ``wave``: record all signals of the machine in
    ``wave.fst`` of the folder; Icarus only.
    """

    simulator: Simulator
    hdl: Path | None = None
    wave: bool = False
    _built: dict[Architecture, MachineSimulation] = field(default_factory=dict)

    parameters = staticmethod(machine_parameters)

    def observe(self, job: Job) -> Recorded:
        """Simulate a program; see ``SimulatedCore``.

        Raises:
            GnomonError: if gnomon's RTL cannot be this machine, or the simulation fails.
        """
        if job.machine not in self._built:
            self._built[job.machine] = simulation_of(job.machine, self.simulator, self.hdl)
        return self._built[job.machine].observe(
            job.program, job.folder, last_cycle=job.last_cycle, wave=self.wave
        )
