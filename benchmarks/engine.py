"""gnomon itself: exact timing, with the profile per instruction, which is always on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.clock import Task, cpu_of_call
from gnomon.base.errors import CheckFailed
from gnomon.sim import simulate

if TYPE_CHECKING:
    from benchmarks.cases import Case
    from gnomon.sim import Run

NAME = "gnomon"


def awake_instructions(run: Run) -> int:
    """Instructions retired, without the slots of sleeping harts and the tries of busy units."""
    return sum(
        hart.retired - run.counters.get(f"hart{number}.parked", 0)
        for number, hart in enumerate(run.harts)
    )


def engine_task(case: Case) -> tuple[Task, Run]:
    """Time a whole call of ``simulate``; one call before it has compiled the engine.

    Raises:
        CheckFailed: the program does not reach its exit.
    """
    program, architecture = case.build(), case.architecture()
    run = simulate(program, architecture)
    if run.halted != "exit":
        raise CheckFailed(f"{case.name} on {case.machine}: {run.halted}: {run.reason}")

    def once() -> float:
        return cpu_of_call(lambda: simulate(program, architecture))

    return Task(case, NAME, awake_instructions(run), run.wall_cycles, once), run
