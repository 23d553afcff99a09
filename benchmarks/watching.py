"""What looking costs: a run whose calls are followed beside one that is not, and writing traces.

Both sides of a ratio are timed alternately in one process, best of several rounds. An event of a
trace is what its format counts by: a line of Kanata, an object of JSON, a line of VCD or CSV.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.cases import CASES, Case
from benchmarks.clock import cpu_of_call
from gnomon.observe.trace import write_kanata, write_log, write_perfetto, write_vcd
from gnomon.sim import TraceWindow, simulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Run

MAX_PROFILE_OVERHEAD_PERCENT = 15.0
MIN_MEGA_EVENTS_PER_SECOND = 1.0
WORST_CASE = Case("calls", "t13-simd4", 2000)
"""Named beside the limit, not under it: every ninth instruction is a call or a return."""

_TRACED_CYCLES = 600_000
_MEGA = 1e6


_WRITERS: dict[str, Callable[[Run, Architecture, Program, Path], object]] = {
    "kanata": write_kanata,
    "perfetto": write_perfetto,
    "vcd": lambda run, architecture, _, path: write_vcd(run, architecture, path),
    "log": write_log,
}


@dataclass(frozen=True, slots=True)
class Overhead:
    """CPU seconds of one program without and with its calls followed."""

    name: str
    alone_seconds: float
    followed_seconds: float

    @property
    def percent(self) -> float:
        """What following adds."""
        return 100 * (self.followed_seconds / self.alone_seconds - 1)


@dataclass(frozen=True, slots=True)
class Written:
    """One trace file."""

    format: str
    events: int
    cpu_seconds: float

    @property
    def mega_events_per_second(self) -> float:
        """Million events per CPU second."""
        return self.events / self.cpu_seconds / _MEGA


def measure_overheads(rounds: int) -> list[Overhead]:
    """The programs of the speed table, and the worst case."""
    found = []
    for case in (*CASES, WORST_CASE):
        program, architecture = case.build(), case.architecture()
        best = {False: float("inf"), True: float("inf")}
        for calls in (False, True):
            simulate(program, architecture, calls=calls)  # compiles
        for _ in range(rounds):
            for calls in (False, True):
                spent = cpu_of_call(partial(simulate, program, architecture, calls=calls))
                best[calls] = min(best[calls], spent)
        found.append(Overhead(f"{case.name} on {case.machine}", best[False], best[True]))
    return found


def measure_writing(rounds: int) -> list[Written]:
    """Every format, of a window of a scalar and of a vector program with three harts each."""
    events: dict[str, int] = dict.fromkeys(_WRITERS, 0)
    seconds: dict[str, float] = dict.fromkeys(_WRITERS, 0.0)
    for case in CASES:
        if case.active_harts == 1 or case.sharing not in ("", "shared"):
            continue
        program, architecture = case.build(case.repeats // 20), case.architecture()
        run = simulate(program, architecture, trace=True, window=TraceWindow(0, _TRACED_CYCLES))
        with tempfile.TemporaryDirectory(prefix="gnomon-") as folder:
            path = Path(folder) / "trace"
            for name, write in _WRITERS.items():
                call = partial(write, run, architecture, program, path)
                seconds[name] += min(cpu_of_call(call) for _ in range(rounds))
                events[name] += path.read_bytes().count(b"\n")
    return [Written(name, events[name], seconds[name]) for name in _WRITERS]
