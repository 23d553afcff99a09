"""Two runs compared without keeping either: bisection by cycle, then a short trace.

Up to the cycle in which they part, two runs have issued the same words as often, with the same
cycles by cause. So runs that stop early are compared by their profiles until a short window is
left, and the issues of that window are compared one by one. If runs that have parted had the same
profile again later, the window found would not be the first; the word that differs stays
different, so this can only concern runs of one program on two machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.diff._result import Difference, Issue, changes_of, kind_of
from gnomon.isa import disassemble, encode
from gnomon.sim import TraceWindow, simulate

if TYPE_CHECKING:
    import numpy.typing as npt

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Run

_WINDOW_CYCLES = 20_000  # short enough to trace, long enough to end the bisection early
_SHOWN_BEFORE = 10
_WFI = encode("wfi")  # slots of sleeping harts say nothing of what came before
_LEAD_CYCLES = 200  # of the window before the cycles in question, to show what came before


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: a program, where it runs, and what it is called."""

    name: str
    program: Program
    architecture: Architecture

    def run(self, max_cycles: int) -> Run:
        """Run it up to a number of cycles."""
        return simulate(self.program, self.architecture, max_cycles=max_cycles)


def diff_runs(a: Side, b: Side, *, max_cycles: int) -> Difference:
    """Compare two runs.

    Raises:
        GnomonError: a program does not fit its machine.
    """
    whole = a.run(max_cycles), b.run(max_cycles)
    cycles = whole[0].wall_cycles, whole[1].wall_cycles
    changes = changes_of(_by_function(whole[0], a.program), _by_function(whole[1], b.program))
    names = a.name, b.name
    if cycles[0] == cycles[1] and _same(a, whole[0], b, whole[1]):
        return Difference(names, cycles, None, (None, None), (), changes)
    same, parted = 0, min(cycles)
    while parted - same > _WINDOW_CYCLES:
        middle = (same + parted) // 2
        if _same(a, a.run(middle), b, b.run(middle)):
            same = middle
        else:
            parted = middle
    first = max(0, same - _LEAD_CYCLES)
    window = TraceWindow(first, parted + _LEAD_CYCLES)
    rows = [
        _rows(
            simulate(
                side.program, side.architecture, trace=True, window=window,
                max_cycles=min(max_cycles, parted + 2 * _LEAD_CYCLES),
            )
        )
        for side in (a, b)
    ]  # fmt: skip
    shared = min(len(rows[0]), len(rows[1]))
    differs = np.flatnonzero(rows[0][:shared] != rows[1][:shared])
    place = int(differs[0]) if len(differs) else shared
    pair = (_issue(rows[0], place, a.program), _issue(rows[1], place, b.program))
    awake = np.flatnonzero(rows[0]["word"][:place] != _WFI)[-_SHOWN_BEFORE:]
    before = [_issue(rows[0], k, a.program) for k in awake.tolist()]
    return Difference(
        names, cycles, kind_of(pair), pair, tuple(each for each in before if each), changes
    )


def _rows(run: Run) -> npt.NDArray[np.void]:
    assert run.trace is not None
    return run.trace


def _issue(rows: npt.NDArray[np.void], place: int, program: Program) -> Issue | None:
    if place >= len(rows):
        return None
    row = rows[place]
    function = program.function_at(int(row["pc"]))
    return Issue(
        cycle=int(row["cycle"]),
        hart=int(row["hart"]),
        pc=int(row["pc"]),
        word=int(row["word"]),
        function=function.name if function else "?",
        disassembly=disassemble(int(row["word"]), int(row["pc"])),
    )


def _same(a: Side, run_a: Run, b: Side, run_b: Run) -> bool:
    """The same words as often at the same places, with the same cycles by cause."""
    return np.array_equal(_executed(a, run_a), _executed(b, run_b))


def _executed(side: Side, run: Run) -> npt.NDArray[np.int64]:
    """A column for each executed word: address, word, issues and cycles by cause and hart."""
    profile = run.profile
    hit = np.flatnonzero(profile.issues.any(axis=0) | profile.cycles.any(axis=0))
    memory = np.frombuffer(run.instruction_memory, dtype="<u4")
    first = (profile.base_address - int(side.architecture.memory.instruction.base)) // 4
    words = memory[first + hit].astype(np.int64)
    parts = [cycles[:, hit] for cycles in profile.parts.values()]
    return np.vstack([profile.base_address + 4 * hit, words, profile.issues[:, hit], *parts])


def _by_function(run: Run, program: Program) -> dict[str, int]:
    """Cycles of awake harts by function."""
    awake = (run.profile.cycles - run.profile.parts["parked"]).sum(axis=0)
    found: dict[str, int] = {}
    for index in np.flatnonzero(awake).tolist():
        function = program.function_at(run.profile.base_address + 4 * index)
        name = function.name if function else "?"
        found[name] = found.get(name, 0) + int(awake[index])
    return found
