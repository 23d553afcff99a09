"""CPU time of calls and of child processes, best of several interleaved rounds.

CPU time, because elapsed time says more about the other users of a computer. The best of several
rounds, because everything that disturbs a run makes it slower. Interleaved, so that a slow minute
does not hit one simulator alone.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.cases import Case


@dataclass(frozen=True, slots=True)
class Task:
    """Work to time. ``run`` does it once, checks its result and returns CPU seconds."""

    case: Case
    simulator: str
    instructions: int
    cycles: int | None
    run: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Timed:
    """A task and its best time.

    ``instructions`` are those retired by harts awake; ``cycles`` is None where a simulator has
    none.
    """

    case: Case
    simulator: str
    instructions: int
    cycles: int | None
    cpu_seconds: float

    @property
    def mips(self) -> float:
        """Million instructions per CPU second."""
        return self.instructions / self.cpu_seconds / 1e6

    @property
    def megacycles_per_second(self) -> float | None:
        """Million simulated cycles per CPU second."""
        return None if self.cycles is None else self.cycles / self.cpu_seconds / 1e6


def cpu_of_call(call: Callable[[], object]) -> float:
    """CPU seconds of one call in this process."""
    start = time.process_time()
    call()
    return time.process_time() - start


def cpu_of_child(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[float, bytes]:
    """CPU seconds, user and system, of one command, and what it printed.

    Raises:
        GnomonError: the command fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        text = done.stderr.decode(errors="replace").strip()
        raise GnomonError(f"{' '.join(command)}: exit code {done.returncode}: {text}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout


def best_of(tasks: Sequence[Task], rounds: int) -> list[Timed]:
    """Run all tasks in turn, ``rounds`` times, and keep the shortest time of each."""
    best = [float("inf")] * len(tasks)
    for number in range(rounds):
        for i, task in enumerate(tasks):
            print(
                f"round {number + 1} of {rounds}: {task.case.name} on {task.case.machine},"
                f" {task.simulator}",
                file=sys.stderr,
            )
            best[i] = min(best[i], task.run())
    return [
        Timed(t.case, t.simulator, t.instructions, t.cycles, seconds)
        for t, seconds in zip(tasks, best, strict=True)
    ]
