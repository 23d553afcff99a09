"""Energies of programs on gates, cached, so that a run that was stopped resumes.

A result is found by the netlist, the program, what the simulator does with it, and the sources that
simulate gates. Counts of the simulator are computed again: other events need no other simulation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from gnomon.base.digest import digest
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.result_cache import cached_result
from gnomon.gates._engine import GateState, simulate_gates
from gnomon.rtl.observed import seen_digest
from gnomon.sim import simulate

if TYPE_CHECKING:
    import numpy.typing as npt

    from gnomon.gates.flow import GateMachine
    from gnomon.program import Program
    from gnomon.sim import Work

_KIND: Final = "gates"
_SOURCES: Final = (
    "engine.c", "events.h", "_timing.py", "_liberty.py", "_liberty_text.py",
)  # fmt: skip
_PATIENCE_CYCLES: Final = 200
_MOST_CYCLES: Final = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredGates:
    """Energies of a program on gates whose events equal those of the simulator.

    Attributes:
        pj: of the data path; shape (windows, units).
        glitch_pj: of the glitches in it; by unit.
        wire_pj_per_ff: by unit, of the whole program.
    """

    settled_ns: float
    clock_pj: float
    gated_pj: float
    bank_reads: int
    bank_writes: int
    pj: npt.NDArray[np.float64]
    glitch_pj: npt.NDArray[np.float64]
    wire_pj_per_ff: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRun:
    """A program on gates, with the counts of the simulator in the same windows and as a whole."""

    gates: MeasuredGates
    works: tuple[Work, ...]
    work: Work
    exit_code: int
    crc32: str


class GateMeter:
    """Measures programs on the gates of one machine.

    Attributes:
        machine: the machine.
        netlist: digest of its netlist.
    """

    def __init__(self, machine: GateMachine) -> None:
        self.machine, self.netlist = machine, machine.digest()

    @cached_property
    def _initial(self) -> GateState:
        return GateState(self.machine.timed, self.machine.library, 0)

    def measure(self, program: Program, window_cycles: int) -> MeasuredRun:
        """Return energies and counts of a program in windows.

        Raises:
            CheckFailed: if gates and simulator differ.
            GnomonError: if the program does not terminate on the simulator.
        """
        machine = self.machine
        run = simulate(program, machine.architecture, max_cycles=_MOST_CYCLES, trace=True, bus=True,
                       toggles=window_cycles)  # fmt: skip
        if run.halted != "exit":
            raise GnomonError(f"{program.name}: {run.halted} on the model: {run.reason}")
        image = [(each.address, each.data) for each in program.segments]
        liberty = machine.made_of and machine.made_of.liberty
        key = digest((self.netlist, liberty, program.entry, image, seen_digest(run), window_cycles,
                      _digest_sources()))  # fmt: skip

        def compute() -> MeasuredGates:
            did = simulate_gates(
                machine.netlist, machine.timed, machine.library, machine.architecture, program,
                last_cycle=run.exit_cycle + _PATIENCE_CYCLES, window_cycles=window_cycles,
                initial=self._initial,
            )  # fmt: skip
            if not did.recorded.equals(run):
                raise CheckFailed(
                    f"{program.name}: gates and simulator differ ({did.recorded.ended} in cycle "
                    f"{did.recorded.cycle}, {run.exit_cycle} on the simulator); no energy is given"
                )
            return MeasuredGates(
                did.settled_ns, float(did.clock_pj.sum()), did.gated_pj, did.bank_reads,
                did.bank_writes, did.energy_pj, did.glitch_pj.sum(axis=0), did.wire_pj_per_ff,
            )  # fmt: skip

        gates = cached_result(_KIND, key, compute)
        works = run.toggle_windows
        assert len(works) == len(gates.pj)
        return MeasuredRun(gates, works, run.work, run.exit_code or 0,
                           str(run.memory_crc32["data"]))  # fmt: skip


@cache
def _digest_sources() -> str:
    here = Path(__file__).parent
    return digest([(here / name).read_bytes() for name in _SOURCES])
