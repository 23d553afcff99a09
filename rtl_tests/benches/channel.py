"""Base of benches inside the simulator: arguments, clock and reset, the reported outcome."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from gnomon.rtl import ARGUMENTS_VARIABLE, OUTCOME_VARIABLE

PERIOD_NS = 10
_EXAMPLES = 5


def arguments() -> dict[str, Any]:
    """Return the arguments of ``Bench.run``."""
    return json.loads(os.environ[ARGUMENTS_VARIABLE])


def seed() -> int:
    """Return the seed of all random choices."""
    return int(os.environ["COCOTB_RANDOM_SEED"])


def tell(outcome: dict[str, Any]) -> None:
    """Hand an outcome to the caller of ``Bench.run``; the last one counts."""
    Path(os.environ[OUTCOME_VARIABLE]).write_text(json.dumps(outcome), encoding="utf-8")


async def start(dut: Any, *inputs: str) -> None:
    """Set inputs to 0, start clock and reset; return just after a rising edge."""
    for name in (*inputs, "rst_n"):
        getattr(dut, name).value = 0
    Clock(dut.clk, PERIOD_NS, unit="ns", impl="gpi").start()
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst_n.value = 1
    await RisingEdge(dut.clk)


@dataclass
class Scoreboard:
    """Counts of comparisons and differences: values, and cycles against a latency model."""

    compared: int = 0
    value_mismatches: int = 0
    cycle_mismatches: int = 0
    worst_residual_cycles: int = 0
    examples: list[str] = field(default_factory=list)

    def take(self, what: str, have: tuple[Any, int], want: tuple[Any, int], wrong: int) -> None:
        """Compare one operation: its values with its cycles; ``wrong`` of the values differ."""
        residual = have[1] - want[1]
        self.compared += 1
        self.value_mismatches += wrong
        self.cycle_mismatches += bool(residual)
        self.worst_residual_cycles = max(self.worst_residual_cycles, residual, key=abs)
        if (wrong or residual) and len(self.examples) < _EXAMPLES:
            self.examples.append(
                f"{what}: {have[0]} in {have[1]} cycles, not {want[0]} in {want[1]}"
            )

    def close(self, *, judge: bool, **facts: Any) -> None:
        """Report the outcome with ``facts``; fail if ``judge`` and anything differs."""
        tell({**facts, **vars(self)})
        assert not (judge and self.value_mismatches + self.cycle_mismatches), (
            f"of {self.compared} compared {self.value_mismatches} differ in value, "
            f"{self.cycle_mismatches} in cycles:\n" + "\n".join(self.examples)
        )
