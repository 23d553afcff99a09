"""Programs of the energy of a core: they end, on each instruction set, and operands differ."""

from __future__ import annotations

import pytest

from gnomon.arch import variants
from gnomon.calibrate.energy_programs import training_programs
from gnomon.sim import simulate


@pytest.mark.parametrize("isa", ["rv32i", "rv32im"])
def test_training_programs_end(isa: str) -> None:
    """A loop on zeros toggles less than the same loop on dense operands."""
    machine = variants("rv32im")([f"core.isa={isa}"])
    toggles: dict[str, int] = {}
    for program in training_programs(machine, 0):
        ran = simulate(program, machine, toggles=0, max_cycles=50_000)
        assert ran.halted == "exit", program.name
        buses = ("rs1_read", "rs2_read", "write_back", "load_data")
        toggles[program.name] = sum(ran.work.buses[bus].toggles for bus in buses)
    for kind in ("alu", "shift", "load", "store", "branch"):  # a division by 0 gives ones
        assert toggles[f"{kind}, zero"] < toggles[f"{kind}, dense"] / 2, kind
