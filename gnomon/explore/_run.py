"""Execution of a sweep: cached points, points from the workers, all results into one folder."""

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.explore._evaluate import NOT_IN_PROGRAMS
from gnomon.explore._executor import Executor, make_executor
from gnomon.explore._lock import locked
from gnomon.explore._nsga2 import search_front
from gnomon.explore._outcomes import CodeHistory, OutcomeCache, PointOutcome
from gnomon.explore._result import SweepResult
from gnomon.explore._runs import Counts
from gnomon.explore._spec import Sweep
from gnomon.explore._task import Task, forget_files, make_task
from gnomon.explore.columns import PointCollector, PointTable, Row
from gnomon.explore.files import check_parquet, write_results
from gnomon.sim import NEVER_OBSERVED, ONE_USER, PRICED_KEYS

_MOST_TASKS = 32  # machines per job: limits the loss in a crash, and sets the step of progress
_MOST_ALIKE = 1024  # tasks per job, if these machines run alike: tasks that are only priced
_BATCH = 2**14  # points that are in memory with their tasks
_JOBS_PER_WORKER = 4
# Keys that affect no run, or only some runs: machines that differ in nothing else run alike.
_UNTIMED = (*NEVER_OBSERVED, ONE_USER)
# Keys for which one recorded path can be re-timed, as long as machines share a program.
_PRICED = (*NEVER_OBSERVED, *(key for key in PRICED_KEYS if key != "vcu.simd"))
# Timing that programs rarely depend on; the remaining keys distinguish programs.
_TIMING = (*NOT_IN_PROGRAMS, "clock", "vcu.sharing", "vcu.simd")

_Member = tuple[str, str, int]
_log = logging.getLogger("gnomon.explore")


class PointEvaluator:
    """Evaluator of points of a sweep, in batches; finished points come from the cache."""

    def __init__(
        self, sweep: Sweep, executor: Executor, progress: Callable[[int, int, int], None]
    ) -> None:
        """Evaluate points of a sweep; ``progress`` is that of :func:`run_sweep`."""
        self.planned = 0
        self._sweep, self._executor, self._progress = sweep, executor, progress
        self._known, self._collected, self._counts = OutcomeCache(), PointCollector(sweep), Counts()
        self._history, self._looked_up = CodeHistory(sweep.fingerprint), set[str]()

    def visit(self, indices: Iterable[int]) -> None:
        """Evaluate points, each of which is visited once."""
        rest = iter(indices)
        while batch := list(islice(rest, _BATCH)):
            self._visit(batch)

    def _visit(self, indices: Sequence[int]) -> None:
        waiting: dict[bytes, list[int]] = {}  # several points may share a task
        tasks: dict[bytes, Task] = {}
        for index in indices:
            try:
                task = make_task(self._sweep, self._sweep.point(index))
            except GnomonError as error:
                self._collected.add([index], [PointOutcome(reason=str(error))], made=False)
                continue
            waiting.setdefault(task.key, []).append(index)
            tasks[task.key] = task
        for family in dict.fromkeys(task.family for task in tasks.values()):
            self._look_up(family)
            of_family = [key for key, task in tasks.items() if task.family == family]
            found = list(self._known.find(family, of_family))
            self._collect((waiting.pop(key), outcome) for key, outcome in found)
            self._counts += Counts(cached=len(found))
            for key, _ in found:
                del tasks[key]
        self._report_progress()
        self._compute(waiting, tasks)

    def _look_up(self, family: str) -> None:
        """Warn once if the cached points of the sweep are of other code."""
        if family not in self._looked_up and self._history.is_of_other_code(family):
            _log.warning(
                "%s: its points in the cache are not reused: gnomon or content that it uses has"
                " changed; they are computed again",
                self._sweep.name,
            )
        self._looked_up.add(family)

    def _collect(self, found: Iterable[tuple[Sequence[int], PointOutcome]]) -> None:
        pairs = [(index, outcome) for indices, outcome in found for index in indices]
        if pairs:
            self._collected.add(*zip(*pairs, strict=True))

    def _compute(self, waiting: dict[bytes, list[int]], tasks: dict[bytes, Task]) -> None:
        keys = list(tasks)
        ordered = [tasks[key] for key in keys]
        for numbers in make_jobs(ordered, self._executor.workers):
            jobs = [[ordered[number] for number in job] for job in numbers]
            for done in self._executor.run(jobs):
                outcomes = [
                    (keys[number], outcome)
                    for number, outcome in zip(numbers[done.job], done.outcomes, strict=True)
                ]
                if done.lasting:
                    self._keep([(tasks[key].family, key, outcome) for key, outcome in outcomes])
                self._collect((waiting[key], outcome) for key, outcome in outcomes)
                self._counts += replace(done.effort, computed=len(done.outcomes))
                self._report_progress()

    def _keep(self, outcomes: Iterable[tuple[str, bytes, PointOutcome]]) -> None:
        families: dict[str, dict[bytes, PointOutcome]] = {}
        for family, key, outcome in outcomes:
            families.setdefault(family, {})[key] = outcome
        try:
            for family, alike in families.items():
                self._known.keep(family, alike)
                self._history.add(family)
        except GnomonError as error:
            raise GnomonError(
                f"{error}; finished points are cached; rerun the sweep to resume"
            ) from None

    def _report_progress(self) -> None:
        self._progress(self._collected.count, self.planned, self._counts.computed)

    def rows(self, indices: Sequence[int]) -> list[Row]:
        """Return visited points."""
        return self._collected.rows(indices)

    def evaluate(self, indices: Sequence[int]) -> PointTable:
        """Return points, and forget them."""
        self.visit(indices)
        points, self._collected = self._collected.points(), PointCollector(self._sweep)
        return points

    def result(self) -> SweepResult:
        """Return all visited points."""
        return SweepResult(self._sweep, self._collected.points(), self._counts)


def run_sweep(
    sweep: Sweep,
    folder: Path | str | None = None,
    *,
    parquet: bool | None = None,
    jobs: int | None = 1,
    cluster: str | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int, int], None] = lambda *_: None,
) -> SweepResult:
    """Evaluate the points of a sweep; finished points are read from the cache.

    Args:
        sweep: the workload, and the values that vary.
        folder: folder of ``results.csv``, ``results.parquet`` and ``summary.json``, created if
            absent; None: no files.
        parquet: whether to write ``results.parquet``; None: if pyarrow is installed.
        jobs: number of processes that evaluate points, 1 for this one; None: one per CPU.
        cluster: address of a Dask scheduler, whose workers are used instead.
        executor: another executor of points; the caller closes it.
        progress: function that receives points done, points planned, and points computed so far.

    Raises:
        GnomonError: if another sweep writes to the folder, a disk is full, a file that the sweep
            needs cannot be read, or the cluster cannot be used. Finished points are in the cache
            and need no second run.
    """
    used = executor or make_executor(jobs, cluster)
    with nullcontext() if executor else closing(used):
        forget_files()
        if folder is None:
            return _visit(sweep, used, progress)
        folder, also = Path(folder), check_parquet(wanted=parquet)
        with locked(folder):
            result = _visit(sweep, used, progress)
            write_results(result, folder, parquet=also)
        return result


def _visit(
    sweep: Sweep, executor: Executor, progress: Callable[[int, int, int], None]
) -> SweepResult:
    visitor = PointEvaluator(sweep, executor, progress)
    search = sweep.search
    if search.method == "grid":
        visitor.planned = sweep.grid_points
        visitor.visit(range(sweep.grid_points))
    elif search.method == "random":
        chosen = random_points(sweep)
        visitor.planned = len(chosen)
        visitor.visit(chosen)
    else:
        visitor.planned = min(search.points, sweep.grid_points)

        seen: set[int] = set()

        def evaluate(indices: Sequence[int]) -> list[Row]:
            visitor.visit([index for index in dict.fromkeys(indices) if index not in seen])
            seen.update(indices)
            return visitor.rows(indices)

        search_front(sweep, evaluate)
    return visitor.result()


def random_points(sweep: Sweep) -> list[int]:
    """Return the points that a random search visits, in grid order; the seed determines them."""
    count = min(sweep.search.points, sweep.grid_points)
    generator = np.random.default_rng(sweep.search.seed)
    if sweep.grid_points <= 4 * count:
        return sorted(generator.permutation(sweep.grid_points)[:count].tolist())
    chosen: set[int] = set()
    while len(chosen) < count:
        chosen.add(int(generator.integers(sweep.grid_points)))
    return sorted(chosen)


def make_jobs(tasks: Sequence[Task], workers: int) -> tuple[list[list[int]], list[list[int]]]:
    """Return indices of tasks by job: first one of each program, to build them all; then the rest.

    Every index is in one job. Tasks with similar machines are adjacent.
    """
    groups: dict[tuple[object, ...], list[_Member]] = {}
    for number, task in enumerate(tasks):
        group = (task.workload, task.settings, task.observed(_TIMING))
        family, place = task.observed(_PRICED), task.observed(_UNTIMED)
        groups.setdefault(group, []).append((family, place, number))
    firsts, rest = [], []
    share = max(1, -(-len(tasks) // (workers * _JOBS_PER_WORKER)))
    for members in groups.values():
        (_, _, first), *others = sorted(members)
        firsts.append([first])
        rest += _cut(others, min(_MOST_TASKS, share), min(_MOST_ALIKE, share))
    return firsts, rest


def _cut(members: Sequence[_Member], size: int, most: int) -> list[list[int]]:
    """Return indices in jobs of ``size`` machines or slightly more: a family shares a job.

    Machines that run alike count as one; a job has at most ``most`` of them, or ``size``.
    """
    jobs: list[list[int]] = []
    machines = 0
    for at, (family, place, number) in enumerate(members):
        together = at > 0 and family == members[at - 1][0]
        alike = together and place == members[at - 1][1]
        full = machines >= (2 * size if together else size) and not alike
        if not jobs or full or len(jobs[-1]) >= max(most, 2 * size if together else size):
            jobs.append([])
            machines = 0
        machines += not (alike and jobs[-1])
        jobs[-1].append(number)
    return jobs
