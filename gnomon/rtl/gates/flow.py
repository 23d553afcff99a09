"""Programs on our machine as gates: proven equal to the simulator first, then priced."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.program import Program
from gnomon.rtl.gates._engine import GateRun, simulate_gates
from gnomon.rtl.gates._liberty import read_liberty
from gnomon.rtl.gates._netlist import machine_netlist
from gnomon.rtl.gates._timing import timed
from gnomon.sim import Run, simulate

OSU018 = Path("/usr/share/qflow/tech/osu018/osu018_stdcells.lib")
"""Where Debian's package has the library that is used when no other is named."""

_PATIENCE_CYCLES = 200
_NS_PS = 1000

Row = dict[str, str | int | float]


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
    clock_ns: float,
    window_cycles: int = 0,
    max_cycles: int = 1_000_000,
) -> GateEnergy:
    """Synthesize a machine, run programs on its gates, and sum their energy.

    Args:
        architecture: a machine that our RTL can be.
        programs: what runs; none: the netlist alone.
        liberty: the library of cells.
        clock_ns: the period, for leakage; no path may be longer.
        window_cycles: rows for every so many cycles; 0: one for the whole program.
        max_cycles: how long a program may run.

    Raises:
        GnomonError: no such library or machine, or the period is too short.
        CheckFailed: gates and simulator differ; no energy is given then.
    """
    if not liberty.is_file():
        raise GnomonError(
            f"{liberty}: no such library (install: sudo apt-get install qflow-tech-osu018; or name "
            "another with --liberty)"
        )
    library = read_liberty(liberty)
    made = machine_netlist(architecture, liberty, library)
    gates = timed(made, library)
    if gates.path_ps > clock_ns * _NS_PS:
        raise GnomonError(
            f"a clock of {clock_ns:g} ns is shorter than the longest path, "
            f"{gates.path_ps / _NS_PS:g} ns"
        )
    told = GateEnergy(library.name, gates.path_ps / _NS_PS, made.record(library), [], [])
    for program in programs:
        run = simulate(program, architecture, max_cycles=max_cycles, trace=True, bus=True)
        if run.halted != "exit":
            raise GnomonError(f"{program.name}: {run.halted} on the model: {run.reason}")
        last = run.exit_cycle + _PATIENCE_CYCLES
        window = window_cycles or last + 1
        did = simulate_gates(
            made, gates, library, architecture, program, last_cycle=last, window_cycles=window
        )
        _prove(program, run, did)
        for number, energies in enumerate(did.energy_pj):
            cycles = min(window, run.exit_cycle + 1 - number * window)
            leakage = gates.leakage_nw * clock_ns * cycles * 1e-6  # nW ns is 1e-6 pJ
            rows = zip(gates.units, energies, gates.clock_pj * cycles, leakage, strict=True)
            told.energy.extend(
                {
                    "program": program.name, "window": number, "cycles": cycles, "unit": unit,
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
                "clock_pj": round(float(gates.clock_pj.sum()) * (run.exit_cycle + 1), 3),
                "settled_ns": did.longest_ps / _NS_PS, "scratchpad_reads": did.bank_reads,
                "scratchpad_writes": did.bank_writes,
            }
        )  # fmt: skip
    return told


def _prove(program: Program, run: Run, did: GateRun) -> None:
    if not did.recorded.equals(run):
        raise CheckFailed(
            f"{program.name}: gates and simulator differ ({did.recorded.ended} in cycle "
            f"{did.recorded.cycle}, {run.exit_cycle} on the simulator); no energy is given"
        )
