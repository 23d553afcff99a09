"""What a simulation of a core brings back, and what the lock-step asks of whoever simulates one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gnomon.program import Program
    from gnomon.rtl.lockstep._setting import Setting

Ended = Literal["exit", "difference", "cycle limit"]

Issue = tuple[int, int | str, int | str, int | str]
"""Cycle, hart, pc, word; text where the core shows undefined bits."""

BusRequest = tuple[int, str, str, str]
"""Cycle, byte enables (0 = read), address, data; hexadecimal, X where bits are undefined."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What the RTL did. ``memory``: words that are not zero at the exit, by address."""

    ended: Ended
    cycle: int
    issues: tuple[Issue, ...]
    bus: tuple[BusRequest, ...]
    memory: Mapping[int, str]


class Core(Protocol):
    """A core that can be simulated, elaborated before or for each setting."""

    def observe(
        self,
        program: Program,
        setting: Setting,
        folder: Path,
        *,
        expected: Sequence[Sequence[int]],
        last_cycle: int,
    ) -> Observed:
        """Simulate up to the exit, to the first issue that is not as expected, or a last cycle.

        Args:
            program: what to run.
            setting: of the core.
            folder: where the simulation runs; its files stay there.
            expected: issues of the model: cycle, hart, pc, word. It may be looked at or not: a
                simulation that goes on behind a difference is compared too.
            last_cycle: when to give up.

        Raises:
            GnomonError: the simulation broke down.
        """
