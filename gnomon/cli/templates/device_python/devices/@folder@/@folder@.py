"""An alarm after a number of cycles.

Registers, each a word:

- 0: a write starts it, or starts it again; a read returns the cycles since the start
- 4: a write clears the alarm; a read returns 1 while it rings
- 8: scratch

A run makes one object at reset. Cycles count from reset and never decrease. ``lanes`` has a bit
for each byte of the word that the program accesses.
"""

from __future__ import annotations


class Device:
    """The alarm of one run; its arguments are the parameters of ``device.yaml``."""

    def __init__(self, cycles: int) -> None:
        self.cycles = cycles
        self.since: int | None = None
        self.scratch = 0

    def read(self, offset: int, _lanes: int, cycle: int) -> int:
        """Return the word at an offset."""
        if offset == 0:
            return 0 if self.since is None else cycle - self.since & 0xFFFF_FFFF
        return int(self.level(cycle)) if offset == 4 else self.scratch if offset == 8 else 0

    def write(self, offset: int, value: int, lanes: int, cycle: int) -> None:
        """Write the bytes of a word that ``lanes`` names."""
        if offset == 0:
            self.since = cycle
        elif offset == 4 and self.level(cycle):
            self.since = None
        elif offset == 8:
            mask = sum(0xFF << 8 * k for k in range(4) if lanes >> k & 1)
            self.scratch = self.scratch & ~mask | value & mask

    def level(self, cycle: int) -> bool:
        """Return whether it requests its interrupt in a cycle; change nothing."""
        return self.since is not None and cycle >= self.since + self.cycles

    def next(self, cycle: int) -> int | None:
        """Return the first later cycle in which the level may change without an access."""
        if self.since is None or self.since + self.cycles <= cycle:
            return None
        return self.since + self.cycles
