"""Runs of programs that end without an exit, in a jump to itself, as many start-up files do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from gnomon.arch import Architecture
from gnomon.program import Program
from gnomon.sim import Region, Run, simulate
from gnomon.sim.debugged import DebugSession

_FIRST_CYCLES = 20_000_000  # length of the run before the search for such a jump
_STAYS_CYCLES = 100_000  # hart 0 must stay at the jump for this time
_MOST_STOPS = 10_000  # limit on stops of other harts at the same jump
_JUMPS = {4: 0x0000_006F, 2: 0xA001}  # `j .` by its size in bytes


class _Reached(Exception):  # noqa: N818 - it ends a run
    """Signal that hart 0 has reached the jump."""


def run_to_end(
    program: Program,
    architecture: Architecture,
    regions: Sequence[Region] = (),
    *,
    max_cycles: int,
) -> tuple[Run, str]:
    """Run a program to its exit, or to the jump to itself that its hart 0 never leaves.

    Returns:
        The run, and its end without an exit in words; empty for any other end.
    """
    first = min(max_cycles, _FIRST_CYCLES)
    run = simulate(program, architecture, regions=regions, max_cycles=first)
    if run.halted != "max-cycles":
        return run, ""
    for pc in _find_jumps(run, program):
        cycle = _find_arrival(program, architecture, pc, first)
        if cycle is None or not _stays(program, architecture, pc, cycle):
            continue
        # Its first issue belongs to the run: a function may return to it.
        run = simulate(program, architecture, regions=regions, max_cycles=cycle + 1)
        function = program.function_at(pc)
        where = f"0x{pc:08X}" + (f" in {function.name}" if function else "")
        return run, (
            f"hart 0 comes to a jump to itself at {where} in cycle {cycle:,} and stays there: the"
            f" program has no exit (a store to the exit address), and all figures are up to there"
        )
    if first < max_cycles:
        run = simulate(program, architecture, regions=regions, max_cycles=max_cycles)
    return run, ""


def _find_jumps(run: Run, program: Program) -> list[int]:
    """Return the addresses of jumps to themselves that hart 0 has executed, most often first."""
    issues = run.profile.issues[0]
    found = [
        (-int(issues[place]), pc)
        for place in issues.nonzero()[0].tolist()
        if program.instruction_at(pc := run.profile.address(place)) in _JUMPS.values()
    ]
    return [pc for _, pc in sorted(found)]


def _find_arrival(program: Program, architecture: Architecture, pc: int, last: int) -> int | None:
    """Return the cycle in which hart 0 first issues the jump; None if it cannot be found."""
    found: list[int] = []

    def watch(target: DebugSession) -> None:
        target.set_breakpoint(pc, there=True)
        for _ in range(_MOST_STOPS):
            if target.go(None, lambda: target.cycle > last) == 0 and not target.ended:
                found.append(target.cycle)
                break
            if target.ended or target.cycle > last:
                break
        raise _Reached

    with suppress(_Reached):
        simulate(program, architecture, max_cycles=last + 1, debug=watch)
    return found[0] if found else None


def _stays(program: Program, architecture: Architecture, pc: int, cycle: int) -> bool:
    """Return whether hart 0 issues only the jump from ``cycle`` on."""
    before, after = (
        simulate(program, architecture, max_cycles=end) for end in (cycle, cycle + _STAYS_CYCLES)
    )
    issues = [each.profile.issues[0][each.profile.place(pc)] for each in (before, after)]
    return bool(issues[1] - issues[0] == after.harts[0].issued - before.harts[0].issued > 1)
