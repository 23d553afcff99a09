"""mcycle, minstret and events: what they count, and what writing them does.

With ``count_all`` a hart's mcycle counts all cycles and minstret the issues of all harts.
Without it mcycle counts the cycles in which the hart holds the execute stage (from its issue
to the cycle before the next issue of any hart), and minstret its own issues.

A counter is a stored value plus what happened since a mark. A CSR instruction issued at I
changes a counter at the end of cycle I+1, so cycle I+1 itself is never counted by the new value.
"""

from __future__ import annotations

from bisect import bisect_right

_MASK64 = (1 << 64) - 1
PCER_CYCLES, PCER_INSTRUCTIONS = 1, 2


class Occupancy:
    """Who held the execute stage, and who issued how often, up to the present issue."""

    def __init__(self, harts: int) -> None:
        self.held_cycles = [0] * harts  # without the present holder's stretch
        self.issues = [0] * harts
        self.holder = -1
        self.since = 0
        self._history: list[tuple[int, int]] = []

    def issue(self, hart: int, cycle: int) -> None:
        if self.holder >= 0:
            self.held_cycles[self.holder] += cycle - self.since
        self.holder, self.since = hart, cycle
        self._history.append((cycle, hart))
        self.issues[hart] += 1

    def held_until(self, hart: int, cycle: int) -> int:
        """Cycles up to and including ``cycle`` in which a hart held the execute stage."""
        running = cycle - self.since + 1 if hart == self.holder else 0
        return self.held_cycles[hart] + running

    def holder_in(self, cycle: int) -> int:
        """Return the hart in execute in a cycle up to that of the present issue, or after it."""
        return self._history[bisect_right(self._history, (cycle, len(self.issues))) - 1][1]


_EVENTS = {"load": 6, "store": 7, "jump": 8, "branch": 9, "taken": 10}


class Events:
    """mhpmcounter3 and 6 to 10, from the cycles in which something happened.

    A counter of event n counts while bit n - 1 of PCER is set. A write, in the cycle after its
    issue, is lost where that cycle has an event to count. Nothing refuses an access here, so
    counter 3 stands still.
    """

    def __init__(self, harts: int, *, count_all: bool, occupancy: Occupancy) -> None:
        self._count_all, self._occupancy = count_all, occupancy
        self._seen: list[tuple[int, int]] = []
        self.counters = [dict.fromkeys((3, *range(6, 11)), 0) for _ in range(harts)]

    def happens(self, what: str, cycle: int) -> None:
        self._seen.append((cycle, _EVENTS[what]))

    def count(self, cycle: int, pcer: list[int]) -> None:
        """Count what happened up to and including a cycle."""
        for at, event in [each for each in self._seen if each[0] <= cycle]:
            holder = self._occupancy.holder_in(at)
            for hart, counters in enumerate(self.counters):
                if (self._count_all or hart == holder) and pcer[hart] >> event - 1 & 1:
                    counters[event] += 1
        self._seen = [each for each in self._seen if each[0] > cycle]

    def write(self, hart: int, number: int, value: int, cycle: int, pcer: list[int]) -> None:
        before = self.counters[hart][number]
        self.count(cycle + 1, pcer)
        if self.counters[hart][number] == before:
            self.counters[hart][number] = value


class Counters:
    def __init__(self, harts: int, *, count_all: bool, occupancy: Occupancy) -> None:
        self._harts, self._count_all, self._occupancy = harts, count_all, occupancy
        self._cycles, self._cycle_mark = [0] * harts, [0] * harts
        self._instret, self._instret_mark = [0] * harts, [0] * harts
        self.pcer = [0] * harts
        self.events = Events(harts, count_all=count_all, occupancy=occupancy)

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
        self.events.count(cycle + 1, self.pcer)
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
        """Return the 64-bit register that holds minstret; it is one higher than it reads."""
        return self._stored_instret(hart) & _MASK64

    def write_minstret(self, hart: int, value: int) -> None:
        self._instret[hart] = value
        self._instret_mark[hart] = self._issue_clock(hart)
