"""A device with a predictor whose counters several branches share."""

from dataclasses import dataclass
from typing import Any, Final

from gnomon.calibrate._device import MOST_CYCLES, Device, Retired, Waits
from gnomon.program import Program

MOST_COUNTERS: Final = 64
"""Counters of a predictor, indexed by the address of the branch."""


@dataclass(frozen=True)
class Untaught:
    """A device whose branches share the counters of a predictor.

    Branches that are not taken set all counters to 0 before each probe.
    """

    device: Device

    def __getattr__(self, name: str) -> Any:
        return getattr(self.device, name)

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program; see :class:`Device`."""
        return self.device.execute(program, waits, most_cycles)
