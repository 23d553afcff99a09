"""Programs on a machine as gates: checked against the simulator, then priced."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.interval import Interval
from gnomon.cost.energy.gate_machine import compute_rtl_digest
from gnomon.gates._engine import GatesDid, simulate_gates
from gnomon.gates._liberty import Library, read_liberty
from gnomon.gates._macro import Macro, macros
from gnomon.gates._netlist import (
    Netlist,
    cells_of,
    machine_netlist,
    machine_sources,
    top_parameters,
)
from gnomon.gates._timing import Timed, timed
from gnomon.gates._wires import clock_tree_pj, wire_ff
from gnomon.program import Program
from gnomon.rtl.designs import Design
from gnomon.rtl.tools import tool
from gnomon.sim import Run, simulate

OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
"""Default library: the file that Debian's package installs."""

_PATIENCE_CYCLES = 200

Row = dict[str, str | int | float]


@dataclass(frozen=True, slots=True, eq=False)
class GateRun:
    """A run of a program on the gates whose events equal those of the simulator."""

    run: Run
    window_cycles: int
    gates: GatesDid

    @property
    def cycles(self) -> npt.NDArray[np.int64]:
        """Cycles of each window; the last window may be shorter."""
        starts = self.window_cycles * np.arange(len(self.gates.energy_pj))
        return np.minimum(self.window_cycles, self.run.exit_cycle + 1 - starts)


def load_library(liberty: Path) -> Library:
    """Return a cell library.

    Raises:
        GnomonError: if the file is missing or cannot be read.
    """
    require_library(liberty)
    return read_liberty(liberty)


def require_library(liberty: Path) -> None:
    """Raise GnomonError if the file of a cell library is missing; the message names a package."""
    if not liberty.is_file():
        raise GnomonError(
            f"{liberty}: no such library (install: sudo apt-get install qflow-tech-osu018; or "
            "name another with --liberty)"
        )


class SynthesizableCore(Protocol):
    """A user-defined core with the ports of gnomon's machine."""

    def design(self, architecture: Architecture) -> Design:
        """Return the RTL of the core in the setting of a machine."""
        ...


@dataclass(frozen=True, slots=True)
class MadeOf:
    """The origin of a netlist, as recorded in its energy table.

    Attributes:
        sources: names of gnomon's RTL files in ``HDL``; empty for a user-defined core.
        rtl: SHA-256 of the sources by name, without comments and blanks.
        parameters: parameters of the top module by name; empty for a user-defined core.
        liberty: SHA-256 of the liberty file.
        yosys: version of yosys.
    """

    HDL: ClassVar = "rtl_tests/hdl"
    sources: tuple[str, ...]
    rtl: str
    parameters: Mapping[str, str]
    liberty: str
    yosys: str

    @classmethod
    def from_machine(
        cls, architecture: Architecture, liberty: Path, core: SynthesizableCore | None
    ) -> "MadeOf":
        """Return the current sources, parameters and tools of a machine."""
        files: Mapping[str, bytes]
        if core is None:
            files, parameters = machine_sources(), top_parameters(architecture)
            names = tuple(files)
        else:
            files, parameters, names = core.design(architecture).files, {}, ()
        texts = {name: content.decode("utf-8") for name, content in files.items()}
        plain = {name: value.strip('"') for name, value in parameters.items()}
        cells = hashlib.sha256(liberty.read_bytes()).hexdigest()
        return cls(names, compute_rtl_digest(texts), plain, cells, tool("yosys").check().version)


@dataclass(frozen=True, slots=True)
class GateMachine:
    """A machine as cells of a library, with the delay and the energy of every net.

    ``core`` is the synthesized core; None for gnomon's RTL.
    """

    architecture: Architecture
    library: Library
    netlist: Netlist
    timed: Timed
    core: SynthesizableCore | None = None
    made_of: "MadeOf | None" = None

    @classmethod
    def from_architecture(
        cls,
        architecture: Architecture,
        liberty: Path = OSU018,
        core: SynthesizableCore | None = None,
    ) -> "GateMachine":
        """Synthesize a machine with gnomon's RTL, or a user-defined core in its setting.

        Raises:
            GnomonError: if the library is missing, gnomon's RTL cannot be the machine, or the core
                cannot be synthesized.
        """
        library = load_library(liberty)
        if core is None:
            found = machine_netlist(architecture, liberty, library)
        else:
            found = cells_of(core.design(architecture), liberty, library)
        return cls(
            architecture, library, found, timed(found, library), core,
            MadeOf.from_machine(architecture, liberty, core),
        )  # fmt: skip

    @property
    def path_ns(self) -> float:
        """Longest path by the tables, with setup time, in ns."""
        return self.timed.path_ps / 1000

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the units by which energies are reported."""
        return self.timed.units

    def area(self) -> list[Row]:
        """Return a row for each unit: cells, flip-flops, area, leakage."""
        return self.netlist.record(self.library)

    def macros(self, folder: Path) -> tuple[int, tuple[Macro, Macro, Macro]]:
        """Return the number of memory macros of its scratchpads, and the macro.

        The macro is given at the corners with typical, least and most energy.

        Raises:
            GnomonError: if the folder has no such macro.
        """
        banks = self.timed.memories
        return len(banks), macros(folder, max(each.parameters["ROWS"] for each in banks))

    def wire_ff(self) -> Interval:
        """Return the modeled wire capacitance per sink in fF (``_wires.py``)."""
        return wire_ff(*self.size()[::2])

    def clock_tree_pj(self) -> Interval:
        """Return the modeled energy of the ungated clock tree per cycle in pJ (``_wires.py``)."""
        _, flip_flops, um2 = self.size()
        return clock_tree_pj(flip_flops, um2, self.library)

    def size(self) -> tuple[int, int, float]:
        """Return the numbers of cells and of flip-flops among them, and the area in µm²."""
        cells, flip_flops, um2 = (
            sum(float(row[key]) for row in self.area())
            for key in ("cells", "flip_flops", "area_um2")
        )
        return int(cells), int(flip_flops), um2

    def leakage_nw(self) -> npt.NDArray[np.float64]:
        """Return the leakage of each unit in nW."""
        return self.timed.leakage_nw

    def digest(self) -> str:
        """Return the digest of the netlist: cells and their connections."""
        return self.netlist.digest(self.library)

    def run(
        self,
        program: Program,
        *,
        window_cycles: int = 0,
        toggles: bool = False,
        max_cycles: int = 1_000_000,
    ) -> GateRun:
        """Run a program on the simulator and on the gates.

        Args:
            program: program to run.
            window_cycles: window length in cycles; 0: one window for the whole program.
            toggles: let the simulator count operand toggles in the same windows.
            max_cycles: cycle limit.

        Raises:
            GnomonError: if the program does not terminate on the simulator.
            CheckFailed: if gates and simulator differ.
        """
        counting = window_cycles if toggles else None
        run = simulate(
            program, self.architecture, max_cycles=max_cycles, trace=True, bus=True,
            toggles=counting,
        )  # fmt: skip
        if run.halted != "exit":
            raise GnomonError(f"{program.name}: {run.halted} on the model: {run.reason}")
        last = run.exit_cycle + _PATIENCE_CYCLES
        window = window_cycles or last + 1
        did = simulate_gates(
            self.netlist, self.timed, self.library, self.architecture, program,
            last_cycle=last, window_cycles=window,
        )  # fmt: skip
        if not did.recorded.equals(run):
            raise CheckFailed(
                f"{program.name}: gates and simulator differ ({did.recorded.ended} in cycle "
                f"{did.recorded.cycle}, {run.exit_cycle} on the simulator); no energy is given"
            )
        return GateRun(run, window, did)


def list_window_rows(
    program: str,
    units: Sequence[str],
    energy_pj: npt.NDArray[np.float64],
    glitch_pj: npt.NDArray[np.float64],
    clock_pj: npt.NDArray[np.float64],
    cycles: npt.NDArray[np.int64],
    leakage_aj: npt.NDArray[np.float64],
) -> Iterator[Row]:
    """Yield a row for each window and unit.

    Args:
        program: its name.
        units: names of the units.
        energy_pj: of the data path; shape (windows, units).
        glitch_pj: of its glitches; shape (windows, units).
        clock_pj: of the clock; shape (windows, units).
        cycles: by window.
        leakage_aj: leakage per cycle by unit, in aJ: nW times ns.
    """
    for number, (energies, glitches, clocks, length) in enumerate(
        zip(energy_pj, glitch_pj, clock_pj, cycles, strict=True)
    ):
        leakage = leakage_aj * length * 1e-6  # aJ are 1e-6 pJ
        by_unit = zip(units, energies, glitches, clocks, leakage, strict=True)
        for unit, data, glitch, clock, leak in by_unit:
            yield {
                "program": program, "window": number, "cycles": int(length), "unit": unit,
                "data_pj": round(float(data), 3), "glitches_pj": round(float(glitch), 3),
                "clock_pj": round(float(clock), 3), "leakage_pj": round(float(leak), 6),
            }  # fmt: skip


@dataclass(frozen=True, slots=True)
class GateEnergy:
    """Energy of programs: a row for each program, window and unit, and the area of the netlist."""

    library: str
    path_ns: float  # longest path by the tables
    area: list[Row]
    programs: list[Row]
    energy: list[Row]


def gate_energy(
    architecture: Architecture,
    programs: Sequence[Program],
    *,
    liberty: Path = OSU018,
    core: SynthesizableCore | None = None,
    clock_ns: float,
    window_cycles: int = 0,
    max_cycles: int = 1_000_000,
) -> GateEnergy:
    """Synthesize a machine, run programs on its gates, and sum their energy.

    Args:
        architecture: machine that gnomon's RTL can be.
        programs: programs to run; empty: only the netlist.
        liberty: liberty file of the cell library.
        core: user-defined core; None: gnomon's RTL.
        clock_ns: clock period in ns, for leakage; no path may be longer.
        window_cycles: window length in cycles; 0: one window for the whole program.
        max_cycles: cycle limit of each program.

    Raises:
        GnomonError: if library or machine is missing, or the period is too short.
        CheckFailed: if gates and simulator differ.
    """
    machine = GateMachine.from_architecture(architecture, liberty, core)
    if machine.path_ns > clock_ns:
        raise GnomonError(
            f"a clock of {clock_ns:g} ns is shorter than the longest path, {machine.path_ns:g} ns"
        )
    result = GateEnergy(machine.library.name, machine.path_ns, machine.area(), [], [])
    for program in programs:
        ran = machine.run(program, window_cycles=window_cycles, max_cycles=max_cycles)
        did, run = ran.gates, ran.run
        result.energy.extend(
            list_window_rows(program.name, machine.units, did.energy_pj, did.glitch_pj,
                             did.clock_pj, ran.cycles, machine.leakage_nw() * clock_ns)
        )  # fmt: skip
        result.programs.append(
            {
                "program": program.name, "cycles": run.exit_cycle + 1,
                "exit_code": run.exit_code or 0, "data_crc32": run.memory_crc32["data"],
                "data_pj": round(float(np.sum(did.energy_pj)), 3),
                "glitches_pj": round(float(np.sum(did.glitch_pj)), 3),
                "clock_pj": round(float(did.clock_pj.sum()), 3),
                "gated_clock_pj": round(did.gated_pj, 3),
                "settled_ns": did.settled_ns, "scratchpad_reads": did.bank_reads,
                "scratchpad_writes": did.bank_writes,
            }
        )  # fmt: skip
    return result
