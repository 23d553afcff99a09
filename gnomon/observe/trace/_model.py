"""Activity of the nets that the simulator knows cycle by cycle, from a traced run.

The nets, below one instance named after the machine:

======================  ==============================================================
``clk``                 the clock: two toggles per cycle
``execute/hart_H``      hart H holds the execute stage: from its issue to the next issue
``execute/issue``       an instruction enters the execute stage in this cycle
``execute/pc``          pc of the instruction in the execute stage, 32 bits
``execute/instruction`` its word, 32 bits; a try of a busy vector unit is a jump to itself
``transfer/busy``       the load-store unit moves vectors (kmemld, kmemstr, kbcastld)
``vcu_K/busy``          accelerator K works on a vector instruction
======================  ==============================================================

Before the first issue ``pc`` and ``instruction`` are unknown (x). Nothing else is written: operand
buses, data memory addresses and units inside the vector unit are not in the trace of a run.
Values of a cycle hold for the whole cycle; the net changes at its beginning.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError
from gnomon.observe.trace._activity import STATES, Activity, ClockSeen, Counts, Signal
from gnomon.observe.trace._time import FEMTOSECONDS_PER_SECOND, UNITS_FS

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.sim import Run

_WORD_BITS = 32
_NOT_YET = 1 << 60  # a span that never ends: a vector unit that hangs


def run_activity(
    run: Run,
    architecture: Architecture,
    *,
    first_cycle: int = 0,
    end_cycle: int | None = None,
) -> Activity:
    """Toggles and times of the nets above, in ``first_cycle`` <= cycle < ``end_cycle``.

    Times are in a timescale of 1 ns, 1 ps or 1 fs that divides half a clock period; a period that
    is no whole number of femtoseconds is rounded once, in each total.

    Raises:
        GnomonError: the run has no trace, or the window is empty or outside the run.
    """
    if run.trace is None or run.spans is None:
        raise GnomonError(f"{run.program}: the run was not traced; simulate with trace=True")
    end = run.wall_cycles if end_cycle is None else end_cycle
    if not 0 <= first_cycle < end <= run.wall_cycles:
        raise GnomonError(
            f"{run.program}: cycles {first_cycle} to {end} are no window of the run, which has "
            f"{run.wall_cycles} cycles"
        )
    nets = _Nets(architecture.name, first_cycle, end)
    # Two toggles per cycle: up at its beginning, down in its middle.
    nets.add("", "clk", 2 * nets.cycles, Fraction(nets.cycles, 2))
    _add_execute(nets, run.trace, len(run.harts), first_cycle, end)
    if architecture.vcu is not None:
        _add_busy(nets, "transfer", run.spans, -1)
        units = 1 if architecture.vcu.sharing == "shared" else len(run.harts)
        for unit in range(units):
            _add_busy(nets, f"vcu_{unit}", run.spans, unit)
    return nets.activity(run.program, int(architecture.clock))


class _Nets:
    """Rows in cycles, until they are told in a timescale."""

    def __init__(self, machine: str, first: int, end: int) -> None:
        name = re.sub(r"[^A-Za-z0-9_]", "_", machine)
        self._top = name if name[:1].isalpha() else f"machine_{name}"
        self.first, self.end = first, end
        self.cycles = end - first
        self._signals: list[Signal] = []
        self._rows: list[tuple[int, Fraction, int]] = []  # toggles, cycles at 1, cycles unknown

    def add(self, instance: str, name: str, toggles: int, high: Fraction | int) -> None:
        """A net of one bit whose value is always known."""
        self._signal(instance, name, 1)
        self._rows.append((toggles, Fraction(high), 0))

    def add_word(self, instance: str, name: str, toggles: Counts, high: Counts, odd: int) -> None:
        """A bus; ``odd`` cycles of every bit are unknown."""
        self._signal(instance, name, len(toggles))
        for count, cycles in zip(toggles.tolist(), high.tolist(), strict=True):
            self._rows.append((count, Fraction(cycles), odd))

    def _signal(self, instance: str, name: str, width: int) -> None:
        scope = (self._top, instance) if instance else (self._top,)
        left = width - 1 if width > 1 else None
        right = 0 if width > 1 else None
        self._signals.append(Signal(scope, name, width, len(self._rows), left, right))

    def activity(self, program: str, clock_hz: int) -> Activity:
        period_fs = Fraction(FEMTOSECONDS_PER_SECOND, clock_hz)
        timescale = next(
            (UNITS_FS[u] for u in ("ns", "ps") if period_fs / (2 * UNITS_FS[u]) % 1 == 0), 1
        )
        period = period_fs / timescale
        start, end = round(self.first * period), round(self.end * period)
        duration = end - start
        times = np.zeros((len(self._rows), len(STATES)), dtype=np.int64)
        for row, (_, high, odd) in enumerate(self._rows):
            times[row, 1] = min(round(high * period), duration)
            times[row, 2] = min(round(odd * period), duration - int(times[row, 1]))
            times[row, 0] = duration - int(times[row, 1]) - int(times[row, 2])
        return Activity(
            source=program,
            format="model",
            timescale_fs=timescale,
            start=start,
            end=end,
            signals=tuple(self._signals),
            toggles=np.array([row[0] for row in self._rows], dtype=np.int64),
            state_times=times,
            left_out={},
            clock=ClockSeen(f"{self._top}/clk", 2 * self.cycles, period, exact_edges=True),
        )


def _add_execute(
    nets: _Nets, trace: npt.NDArray[np.void], harts: int, first: int, end: int
) -> None:
    """Nets of the execute stage, from the issue trace."""
    issued = trace["cycle"].astype(np.int64)
    inside = slice(*np.searchsorted(issued, (first, end)).tolist())
    # The instruction that is in the stage when the window begins entered it before.
    held = slice(max(0, inside.start - 1), inside.stop)
    entered = np.maximum(issued[held], first)
    stays = np.diff(np.append(entered, end))
    unknown = int(nets.cycles - stays.sum())
    before = inside.start > held.start
    for hart in range(harts):
        holds = trace["hart"][held] == hart
        changes = int(np.count_nonzero(np.diff(holds)))
        # Before the first issue nobody holds it; before cycle 0 there is no value to change from.
        if not before and len(holds) > 0 and entered[0] > 0:
            changes += int(holds[0])
        nets.add("execute", f"hart_{hart}", changes, int(stays[holds].sum()))
    _add_pulses(nets, issued, first, end)
    for name, field in (("pc", "pc"), ("instruction", "word")):
        values = trace[field][held].astype(np.uint32)
        toggles = np.zeros(_WORD_BITS, dtype=np.int64)
        high = np.zeros(_WORD_BITS, dtype=np.int64)
        flips = values[1:] ^ values[:-1]
        for bit in range(_WORD_BITS):
            mask = np.uint32(1 << bit)
            toggles[bit] = np.count_nonzero(flips & mask)
            high[bit] = stays[(values & mask) != 0].sum()
        nets.add_word("execute", name, toggles, high, unknown)


def _add_pulses(nets: _Nets, issued: Counts, first: int, end: int) -> None:
    """One cycle high per issue; issues in consecutive cycles are one pulse."""
    toggles, high = _levels(issued, issued + 1, first, end)
    nets.add("execute", "issue", toggles, high)


def _add_busy(nets: _Nets, instance: str, spans: npt.NDArray[Any], unit: int) -> None:
    mine = spans[spans["unit"] == unit]
    starts = mine["start"].astype(np.int64)
    ends = np.minimum(mine["last"].astype(np.int64), _NOT_YET) + 1
    order = np.argsort(starts, kind="stable")
    toggles, high = _levels(starts[order], ends[order], nets.first, nets.end)
    nets.add(instance, "busy", toggles, high)


def _levels(starts: Counts, ends: Counts, first: int, end: int) -> tuple[int, int]:
    """Toggles and cycles at 1 of a net that is high in ``starts[k] <= cycle < ends[k]``.

    Intervals are sorted and may touch or overlap. A change at ``first`` counts, unless it is the
    beginning of the run: there is no value before cycle 0.
    """
    if not len(starts):
        return 0, 0
    reach = np.maximum.accumulate(ends)
    opens = np.concatenate(([True], starts[1:] > reach[:-1]))
    rises = starts[opens]
    falls = np.append(reach[np.flatnonzero(opens)[1:] - 1], reach[-1])
    high = int(np.maximum(np.minimum(falls, end) - np.maximum(rises, first), 0).sum())
    edges = np.concatenate((rises, falls))
    toggles = int(np.count_nonzero((edges >= max(first, 1)) & (edges < end)))
    return toggles, high
