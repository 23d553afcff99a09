"""Waiting times of a user: start of commands, following calls, writing traces.

Start: CPU time of whole processes. Both sides of a ratio are timed alternately in one process. An
event of a trace is the unit of its format: a line of Kanata, an object of JSON, a line of VCD
or CSV.
"""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.cases import CASES, Case
from benchmarks.harness import Found, Limit, best_of, cpu_of_call, cpu_of_child, users_environment
from gnomon.observe.trace import TraceFiles
from gnomon.sim import TraceWindow, simulate

CLI = [sys.executable, "-c", "from gnomon.cli import main; main()"]
_SMALL = Case("mix", "t13-simd4", 1)
YARDSTICK = "import numpy, pydantic, typer, yaml, rich"
"""What a run cannot do without; a Python process that does no more is what a start is held to."""
MOST_YARDSTICKS = 1.5
MOST_FIRST_RUN_SECONDS = 3.0
MAX_PROFILE_OVERHEAD_PERCENT = 15.0
MIN_MEGA_EVENTS_PER_SECOND = 1.0
WORST_CASE = Case("calls", "t13-simd4", 2000)
"""Told, without a limit: every ninth instruction is a call or a return."""

_TRACED_CYCLES = 600_000
_FORMATS = ("kanata", "perfetto", "vcd", "log")


def start_seconds(rounds: int) -> dict[str, float]:
    """Return CPU seconds of whole processes: the yardstick, help, a run with full, empty caches."""
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        elf = Path(temporary) / "mix.elf"
        elf.write_bytes(_SMALL.build().elf)
        environment = users_environment(OPENBLAS_NUM_THREADS="1")
        caches = iter(Path(temporary) / f"cache{number}" for number in range(rounds))

        def timed(command: list[str], **variables: str) -> float:
            return cpu_of_child(command, environment | variables)[0]

        run = [*CLI, "run", str(elf), "--arch", _SMALL.machine]
        return best_of(
            {
                "yardstick": partial(timed, [sys.executable, "-c", YARDSTICK]),
                "--help": partial(timed, [*CLI, "--help"]),
                "run": partial(timed, run),
                "run --json": partial(timed, [*run, "--json"]),
                "first run": lambda: timed(run, GNOMON_CACHE=str(next(caches))),
            },
            rounds,
        )


def measure_start(found: Found, rounds: int) -> None:
    """Time ``gnomon run`` of a small program against the yardstick, and with an empty cache."""
    seconds = start_seconds(rounds)
    for name in ("yardstick", "--help", "run", "run --json"):
        print(f"{name}: {seconds[name]:.3f} s CPU", file=sys.stderr)
    ratio = seconds["run"] / seconds["yardstick"]
    found.limits += [
        Limit(f"gnomon run, beside python -c '{YARDSTICK}'", "x CPU", ratio, MOST_YARDSTICKS),
        Limit("gnomon run, first: the engine is compiled", "s CPU", seconds["first run"],
              MOST_FIRST_RUN_SECONDS),
    ]  # fmt: skip


def measure_profile(found: Found, rounds: int) -> None:
    """Measure the cost of following calls: programs of the speed table, and the worst case."""
    for case in (*CASES, WORST_CASE):
        run = partial(simulate, case.build(), case.architecture())
        name = f"profile of {case.name} on {case.machine}"
        tasks: dict[str, Callable[[], float]] = {}
        for calls in (False, True):
            run(calls=calls)  # compiles
            tasks[f"{name}: {calls}"] = partial(cpu_of_call, partial(run, calls=calls))
        alone, followed = best_of(tasks, rounds).values()
        percent = 100 * (followed / alone - 1)
        print(f"{name}: {percent:+.1f} % CPU", file=sys.stderr)
        if case is not WORST_CASE:
            found.limits.append(Limit(name, "% more CPU", percent, MAX_PROFILE_OVERHEAD_PERCENT))


def measure_writing(found: Found, rounds: int) -> None:
    """Measure every format, for a window of a scalar and a vector program on three harts each."""
    events = dict.fromkeys(_FORMATS, 0)
    seconds = dict.fromkeys(_FORMATS, 0.0)
    for case in CASES:
        if case.active_harts == 1 or case.sharing not in ("", "shared"):
            continue
        program, architecture = case.build(case.repeats // 20), case.architecture()
        run = simulate(program, architecture, trace=True, window=TraceWindow(0, _TRACED_CYCLES))
        with tempfile.TemporaryDirectory(prefix="gnomon-") as folder:
            path = Path(folder) / "trace"
            for name in _FORMATS:
                files = TraceFiles.parse([f"{name}={path}"])
                call = partial(files.write, run, architecture, program)
                seconds[name] += min(cpu_of_call(call) for _ in range(rounds))
                events[name] += path.read_bytes().count(b"\n")
    for name in _FORMATS:
        rate = events[name] / seconds[name] / 1e6
        found.limits.append(
            Limit(f"writing {name}", "M events/s", rate, MIN_MEGA_EVENTS_PER_SECOND, at_least=True)
        )
