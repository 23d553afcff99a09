"""Runs one test and judges how it ended and what it left in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.program import load_elf
from gnomon.rtl.validate._isa_place import bytes_left_at, machine_for
from gnomon.rtl.validate._signature import compare_signature, read_signature
from gnomon.sim import simulate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.rtl.validate._isa_tests import IsaTest
    from gnomon.sim import Run

# The longest test seen takes 35,614 cycles (riscv-arch-test divu-01 on t13). Tests that end
# by tohost spin for the rest of it.
CYCLE_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class IsaResult:
    """What became of a test; ``failure`` is None if it passed."""

    test: IsaTest
    failure: str | None

    def to_json(self) -> dict[str, str | bool | None]:
        """Plain data under the documented names."""
        return {
            "group": self.test.group,
            "name": self.test.name,
            "passed": self.failure is None,
            "failure": self.failure,
        }


def run_test(test: IsaTest, machine: str, overrides: Sequence[str]) -> IsaResult:
    """Run a test on a machine.

    Raises:
        GnomonError: an unknown machine, or files that cannot be used.
    """
    program = load_elf(test.elf, str(test.elf))
    architecture = machine_for(program, machine, overrides)
    run = simulate(program, architecture, max_cycles=CYCLE_LIMIT)
    failure = _ending(program, architecture, run)
    if failure is None and test.reference is not None:
        failure = compare_signature(program, run, architecture, read_signature(test.reference))
    return IsaResult(test, failure)


def _ending(program: Program, architecture: Architecture, run: Run) -> str | None:
    """None if the test says that it passed, else what it said or why it did not end."""
    if run.halted == "exit":
        return f"exit code {run.exit_code}" if run.exit_code else None
    tohost = [symbol.address for symbol in program.symbols if symbol.name == "tohost"]
    if run.halted == "max-cycles" and tohost:
        value = int.from_bytes(bytes_left_at(run, architecture, tohost[0], 4) or b"", "little")
        if value == 1:
            return None
        if value:
            return f"tohost {value}: case {value >> 1}"
    return run.reason
