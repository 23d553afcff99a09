"""One program on a machine: the simulator and our RTL, side by side."""

from pathlib import Path

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.program import Program
from gnomon.rtl.lockstep import Compared
from gnomon.rtl.machine._simulation import SimulatorName, simulation_of
from gnomon.sim import Run, simulate

_PATIENCE_CYCLES = 200  # how long behind the model's exit the RTL may still end


def run_both(
    program: Program,
    architecture: Architecture,
    folder: Path,
    *,
    simulator: SimulatorName,
    max_cycles: int = 10_000_000,
    wave: bool = False,
    hdl: Path | None = None,
) -> tuple[Run, Compared]:
    """Run a program on both and compare issues, requests and memory.

    Args:
        program: what to run.
        architecture: a machine that our RTL can be.
        folder: where the RTL's simulation works; its files stay there.
        simulator: of the RTL.
        max_cycles: how long the model may run.
        wave: record the RTL's signals in ``wave.fst`` of the folder; with Icarus.
        hdl: SystemVerilog other than ours.

    Raises:
        GnomonError: our RTL cannot be this machine, the program does not reach its exit on the
            model, or the simulation broke down.
    """
    machine = simulation_of(architecture, simulator, hdl)
    run = simulate(program, architecture, max_cycles=max_cycles, trace=True, bus=True)
    if run.halted != "exit":
        raise GnomonError(f"{program.name}: {run.halted} on the model: {run.reason}")
    observed = machine.observe(
        program, folder, last_cycle=run.exit_cycle + _PATIENCE_CYCLES, wave=wave
    )
    return run, Compared.of(run, observed, architecture)
