"""Tasks put together to jobs, so that a worker meets alike ones together and builds once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.explore._evaluate import NOT_IN_PROGRAMS
from gnomon.sim import Run, TimedPath, observed_fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.explore._task import Task

_MOST_TASKS = 32  # of one job: what a crash can cost, and what progress moves by
_JOBS_PER_WORKER = 4
# What changes no run, or only some runs: machines that differ in nothing else run alike.
_UNTIMED = (*Run.NEVER_OBSERVED, Run.ONE_USER)
# What one recorded path can be priced for, as long as machines share a program.
_PRICED = (*Run.NEVER_OBSERVED, *(key for key in TimedPath.PRICED if key != "vcu.simd"))
# Timing that programs hardly ever know; the rest tells programs apart.
_TIMING = (*NOT_IN_PROGRAMS, "clock", "vcu.sharing", "vcu.simd")

_Member = tuple[str, str, int]


def make_jobs(tasks: Sequence[Task], workers: int) -> tuple[list[list[int]], list[list[int]]]:
    """Numbers of tasks by job: first one of each program, to build them all; then the rest.

    Every number is in one job. Tasks whose machines differ least stand together.
    """
    groups: dict[tuple[object, ...], list[_Member]] = {}
    for number, task in enumerate(tasks):
        group = (task.workload, task.settings, observed_fingerprint(task.architecture, _TIMING))
        family = observed_fingerprint(task.architecture, _PRICED)
        place = observed_fingerprint(task.architecture, _UNTIMED)
        groups.setdefault(group, []).append((family, place, number))
    firsts, rest = [], []
    size = max(1, min(_MOST_TASKS, -(-len(tasks) // (workers * _JOBS_PER_WORKER))))
    for members in groups.values():
        (_, _, first), *others = sorted(members)
        firsts.append([first])
        rest += _cut(others, size)
    return firsts, rest


def _cut(members: Sequence[_Member], size: int) -> list[list[int]]:
    """Numbers in jobs of ``size`` or a little more: those of one family stay together."""
    jobs: list[list[int]] = []
    for at, (family, _, number) in enumerate(members):
        together = at > 0 and family == members[at - 1][0]
        if not jobs or (len(jobs[-1]) >= size and not (together and len(jobs[-1]) < 2 * size)):
            jobs.append([])
        jobs[-1].append(number)
    return jobs
