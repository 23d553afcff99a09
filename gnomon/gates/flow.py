"""Programs on our machine as gates: proven equal to the simulator first, then priced."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.digest import digest
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
    machine_parameters,
    machine_sources,
)
from gnomon.gates._timing import Timed, timed
from gnomon.gates._wires import clock_tree_pj, wire_ff
from gnomon.program import Program
from gnomon.rtl.designs import Design
from gnomon.rtl.tools import tool
from gnomon.sim import Run, simulate

OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
"""Where Debian's package has the library that is used when no other is named."""

_PATIENCE_CYCLES = 200

Row = dict[str, str | int | float]


@dataclass(frozen=True, slots=True, eq=False)
class GateRun:
    """A program on the gates, equal to the simulator in all that both show."""

    run: Run
    window_cycles: int
    gates: GatesDid

    @property
    def cycles(self) -> npt.NDArray[np.int64]:
        """Of each window; the last one may be shorter."""
        starts = self.window_cycles * np.arange(len(self.gates.energy_pj))
        return np.minimum(self.window_cycles, self.run.exit_cycle + 1 - starts)


class SynthesizableCore(Protocol):
    """A core of the user's that has the ports of our machine."""

    def design(self, architecture: Architecture) -> Design:
        """Return its RTL in the setting of a machine."""
        ...


@dataclass(frozen=True, slots=True)
class MadeOf:
    """What a netlist was made of, as its energy table records it.

    Attributes:
        sources: names of our RTL's files in ``HDL``; none of a core of the user's.
        rtl: SHA-256 of the sources by name, without comments and blanks.
        parameters: of the top module by name; none of a core of the user's.
        liberty: SHA-256 of the file of cells.
        yosys: its version.
    """

    HDL: ClassVar = "rtl_tests/hdl"
    sources: tuple[str, ...]
    rtl: str
    parameters: Mapping[str, str]
    liberty: str
    yosys: str

    @classmethod
    def of(
        cls, architecture: Architecture, liberty: Path, core: SynthesizableCore | None
    ) -> "MadeOf":
        """Record the sources, parameters and tools of today."""
        files: Mapping[str, bytes]
        if core is None:
            files, parameters = machine_sources(), machine_parameters(architecture)
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

    ``core`` is what it was made of, None for our RTL.
    """

    architecture: Architecture
    library: Library
    netlist: Netlist
    timed: Timed
    core: SynthesizableCore | None = None
    made_of: "MadeOf | None" = None

    @classmethod
    def of(
        cls,
        architecture: Architecture,
        liberty: Path = OSU018,
        core: SynthesizableCore | None = None,
    ) -> "GateMachine":
        """Synthesize a machine that our RTL can be, or a core of the user's in its setting.

        Raises:
            GnomonError: there is no such library or machine, or the core cannot be synthesized.
        """
        if not liberty.is_file():
            raise GnomonError(
                f"{liberty}: no such library (install: sudo apt-get install qflow-tech-osu018; or "
                "name another with --liberty)"
            )
        library = read_liberty(liberty)
        if core is None:
            made = machine_netlist(architecture, liberty, library)
        else:
            made = cells_of(core.design(architecture), liberty, library)
        return cls(
            architecture, library, made, timed(made, library), core,
            MadeOf.of(architecture, liberty, core),
        )  # fmt: skip

    @property
    def path_ns(self) -> float:
        """The longest path by the tables, with the setup time behind it."""
        return self.timed.path_ps / 1000

    @property
    def units(self) -> tuple[str, ...]:
        """Names of what energies are told by."""
        return self.timed.units

    def area(self) -> list[Row]:
        """A row for each unit: cells, flip-flops, area, leakage."""
        return self.netlist.record(self.library)

    def macros(self, folder: Path) -> tuple[int, tuple[Macro, Macro, Macro]]:
        """How many memory macros its scratchpads take, and which: typical, least, most energy.

        Raises:
            GnomonError: the folder has no such macro.
        """
        banks = self.timed.memories
        return len(banks), macros(folder, max(each.parameters["ROWS"] for each in banks))

    def wire_ff(self) -> Interval:
        """What wires hold for each sink, by a model (``_wires.py``)."""
        return wire_ff(*self.size()[::2])

    def clock_tree_pj(self) -> Interval:
        """Of buffers and wires before the flip-flops in a cycle, by the same model, not gated."""
        _, flip_flops, um2 = self.size()
        return clock_tree_pj(flip_flops, um2, self.library)

    def size(self) -> tuple[int, int, float]:
        """Cells, flip-flops among them, area in µm²."""
        cells, flip_flops, um2 = (
            sum(float(row[key]) for row in self.area())
            for key in ("cells", "flip_flops", "area_um2")
        )
        return int(cells), int(flip_flops), um2

    def leakage_nw(self) -> npt.NDArray[np.float64]:
        """Of each unit."""
        return self.timed.leakage_nw

    def digest(self) -> str:
        """Of the netlist: cells and how they are connected."""
        cells = [(each.kind, each.unit, sorted(each.nets.items()), sorted(each.parameters.items()))
                 for each in self.netlist.instances]  # fmt: skip
        return digest((self.library.name, cells))

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
            program: what runs.
            window_cycles: energies for every so many cycles; 0: one for the whole program.
            toggles: the simulator counts operand toggles of the same windows.
            max_cycles: how long it may run.

        Raises:
            GnomonError: it does not end on the simulator.
            CheckFailed: gates and simulator differ; no energy is given then.
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


@dataclass(frozen=True, slots=True)
class GateEnergy:
    """What programs take: a row for each program, window and unit, and the netlist's record."""

    library: str
    path_ns: float  # the longest, by the tables
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
        architecture: a machine that our RTL can be.
        programs: what runs; none: the netlist alone.
        liberty: the library of cells.
        core: of the user's; none: our RTL.
        clock_ns: the period, for leakage; no path may be longer.
        window_cycles: rows for every so many cycles; 0: one for the whole program.
        max_cycles: how long a program may run.

    Raises:
        GnomonError: no such library or machine, or the period is too short.
        CheckFailed: gates and simulator differ; no energy is given then.
    """
    machine = GateMachine.of(architecture, liberty, core)
    if machine.path_ns > clock_ns:
        raise GnomonError(
            f"a clock of {clock_ns:g} ns is shorter than the longest path, {machine.path_ns:g} ns"
        )
    told = GateEnergy(machine.library.name, machine.path_ns, machine.area(), [], [])
    for program in programs:
        ran = machine.run(program, window_cycles=window_cycles, max_cycles=max_cycles)
        did, run = ran.gates, ran.run
        windows = zip(did.energy_pj, did.clock_pj, ran.cycles, strict=True)
        for number, (energies, clocks, length) in enumerate(windows):
            leakage = machine.leakage_nw() * clock_ns * length * 1e-6  # nW ns is 1e-6 pJ
            rows = zip(machine.units, energies, clocks, leakage, strict=True)
            told.energy.extend(
                {
                    "program": program.name, "window": number, "cycles": int(length), "unit": unit,
                    "data_pj": round(float(data), 3), "clock_pj": round(float(clock), 3),
                    "leakage_pj": round(float(leak), 6),
                }
                for unit, data, clock, leak in rows
            )  # fmt: skip
        told.programs.append(
            {
                "program": program.name, "cycles": run.exit_cycle + 1,
                "exit_code": run.exit_code or 0, "data_crc32": run.memory_crc32["data"],
                "data_pj": round(float(np.sum(did.energy_pj)), 3),
                "clock_pj": round(float(did.clock_pj.sum()), 3),
                "gated_clock_pj": round(did.gated_pj, 3),
                "settled_ns": did.settled_ns, "scratchpad_reads": did.bank_reads,
                "scratchpad_writes": did.bank_writes,
            }
        )  # fmt: skip
    return told
