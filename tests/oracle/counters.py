"""mcycle and minstret: what they count, and what writing them does.

With ``count_all`` a hart's mcycle counts all cycles and minstret the issues of all harts.
Without it mcycle counts the cycles in which the hart holds the execute stage (from its issue
to the cycle before the next issue of any hart), and minstret its own issues.

A counter is a stored value plus what happened since a mark. A CSR instruction issued at I
changes a counter at the end of cycle I+1, so cycle I+1 itself is never counted by the new value.
"""

from __future__ import annotations

_MASK64 = (1 << 64) - 1
PCER_CYCLES, PCER_INSTRUCTIONS = 1, 2


class Occupancy:
    """Who held the execute stage, and who issued how often, up to the present issue."""

    def __init__(self, harts: int) -> None:
        self.held_cycles = [0] * harts  # without the present holder's stretch
        self.issues = [0] * harts
        self.holder = -1
        self.since = 0

    def issue(self, hart: int, cycle: int) -> None:
        if self.holder >= 0:
            self.held_cycles[self.holder] += cycle - self.since
        self.holder, self.since = hart, cycle
        self.issues[hart] += 1

    def held_until(self, hart: int, cycle: int) -> int:
        """Cycles up to and including ``cycle`` in which a hart held the execute stage."""
        running = cycle - self.since + 1 if hart == self.holder else 0
        return self.held_cycles[hart] + running


class Counters:
    def __init__(self, harts: int, *, count_all: bool, occupancy: Occupancy) -> None:
        self._harts, self._count_all, self._occupancy = harts, count_all, occupancy
        self._cycles, self._cycle_mark = [0] * harts, [0] * harts
        self._instret, self._instret_mark = [0] * harts, [0] * harts
        self.pcer = [0] * harts

    def _cycle_clock(self, hart: int, cycle: int) -> int:
        return cycle if self._count_all else self._occupancy.held_until(hart, cycle)

    def _issue_clock(self, hart: int) -> int:
        issues = self._occupancy.issues
        return sum(issues) if self._count_all else issues[hart]

    def _stored_cycles(self, hart: int, cycle: int) -> int:
        if not self.pcer[hart] & PCER_CYCLES:
            return self._cycles[hart]
        return self._cycles[hart] + self._cycle_clock(hart, cycle) - self._cycle_mark[hart]

    def _stored_instret(self, hart: int) -> int:
        if not self.pcer[hart] & PCER_INSTRUCTIONS:
            return self._instret[hart]
        return self._instret[hart] + self._issue_clock(hart) - self._instret_mark[hart]

    def write_pcer(self, hart: int, value: int, cycle: int) -> None:
        self._cycles[hart] = self._stored_cycles(hart, cycle + 1)
        self._instret[hart] = self._stored_instret(hart)
        self._cycle_mark[hart] = self._cycle_clock(hart, cycle + 1)
        self._instret_mark[hart] = self._issue_clock(hart)
        self.pcer[hart] = value

    def mcycle(self, hart: int, cycle: int) -> int:
        """The 64-bit value an instruction issued at ``cycle`` reads."""
        return self._stored_cycles(hart, cycle) & _MASK64

    def write_mcycle(self, hart: int, value: int, cycle: int) -> None:
        self._cycles[hart] = value
        self._cycle_mark[hart] = self._cycle_clock(hart, cycle + 1)
        if self._count_all:  # the write port is shared: the others miss the cycle of the write
            for other in range(self._harts):
                if other != hart:
                    self._cycle_mark[other] += 1

    def stored_minstret(self, hart: int) -> int:
        """The 64-bit register behind minstret; it is one higher than it reads."""
        return self._stored_instret(hart) & _MASK64

    def write_minstret(self, hart: int, value: int) -> None:
        self._instret[hart] = value
        self._instret_mark[hart] = self._issue_clock(hart)
