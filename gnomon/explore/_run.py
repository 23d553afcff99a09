"""Execution of a sweep: cached points, points from the workers, all results into one folder."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.explore._evaluate import NOT_IN_PROGRAMS
from gnomon.explore._executor import Executor, make_executor
from gnomon.explore._lock import locked
from gnomon.explore._nsga2 import search_front
from gnomon.explore._outcomes import OutcomeCache, PointOutcome
from gnomon.explore._result import Row, SweepResult
from gnomon.explore._runs import Counts
from gnomon.explore._spec import Sweep
from gnomon.explore._task import Task, forget_files, make_task
from gnomon.explore.files import check_parquet, write_results
from gnomon.sim import NEVER_OBSERVED, ONE_USER, PRICED_KEYS, observed_fingerprint

_MOST_TASKS = 32  # tasks per job: limits the loss in a crash, and sets the step of progress
_JOBS_PER_WORKER = 4
# Keys that affect no run, or only some runs: machines that differ in nothing else run alike.
_UNTIMED = (*NEVER_OBSERVED, ONE_USER)
# Keys for which one recorded path can be re-timed, as long as machines share a program.
_PRICED = (*NEVER_OBSERVED, *(key for key in PRICED_KEYS if key != "vcu.simd"))
# Timing that programs rarely depend on; the remaining keys distinguish programs.
_TIMING = (*NOT_IN_PROGRAMS, "clock", "vcu.sharing", "vcu.simd")

_Member = tuple[str, str, int]


@dataclass(slots=True)
class _Visitor:
    """Evaluator of points of a sweep, each once."""

    sweep: Sweep
    executor: Executor
    progress: Callable[[int, int, int], None]
    known: OutcomeCache = field(default_factory=OutcomeCache)
    rows: dict[int, Row] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)
    planned: int = 0

    def visit(self, indices: Iterable[int]) -> None:
        """Evaluate points that were not visited before."""
        waiting: dict[str, list[int]] = {}  # several points may share a task
        tasks: dict[str, Task] = {}
        for index in indices:
            if index in self.rows or not 0 <= index < self.sweep.grid_points:
                continue
            values = self.sweep.point(index)
            try:
                task = make_task(self.sweep, values)
            except GnomonError as error:
                self.rows[index] = Row(index, values, None, PointOutcome(reason=str(error)))
                continue
            key = task.key
            if key not in waiting:
                known = self.known.find(task.family, key)
                if known is not None:
                    self.rows[index] = Row(index, values, task, known)
                    self.counts += Counts(cached=1)
                    continue
                tasks[key] = task
            waiting.setdefault(key, []).append(index)
        self._report_progress()
        self._compute(waiting, tasks)

    def _compute(self, waiting: dict[str, list[int]], tasks: dict[str, Task]) -> None:
        keys = list(tasks)
        ordered = [tasks[key] for key in keys]
        for numbers in make_jobs(ordered, self.executor.workers):
            jobs = [[ordered[number] for number in job] for job in numbers]
            for done in self.executor.run(jobs):
                outcomes = dict(zip(numbers[done.job], done.outcomes, strict=True))
                if done.lasting:
                    self._keep(
                        [(tasks[keys[n]].family, keys[n], out) for n, out in outcomes.items()]
                    )
                for number, outcome in outcomes.items():
                    for index in waiting[keys[number]]:
                        values = self.sweep.point(index)
                        self.rows[index] = Row(index, values, ordered[number], outcome)
                self.counts += replace(done.effort, computed=len(done.outcomes))
                self._report_progress()

    def _keep(self, outcomes: Iterable[tuple[str, str, PointOutcome]]) -> None:
        families: dict[str, dict[str, PointOutcome]] = {}
        for family, key, outcome in outcomes:
            families.setdefault(family, {})[key] = outcome
        try:
            for family, alike in families.items():
                self.known.keep(family, alike)
        except GnomonError as error:
            raise GnomonError(
                f"{error}; finished points are cached; rerun the sweep to resume"
            ) from None

    def _report_progress(self) -> None:
        self.progress(len(self.rows), self.planned, self.counts.computed)

    def result(self) -> SweepResult:
        """Return all visited points."""
        rows = tuple(self.rows[index] for index in sorted(self.rows))
        return SweepResult(self.sweep, rows, self.counts)


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
    visitor = _Visitor(sweep, executor, progress)
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

        def evaluate(indices: Sequence[int]) -> list[Row]:
            visitor.visit(indices)
            return [visitor.rows[index] for index in indices]

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
    """Return indices in jobs of ``size`` or slightly more: members of a family share a job."""
    jobs: list[list[int]] = []
    for at, (family, _, number) in enumerate(members):
        together = at > 0 and family == members[at - 1][0]
        if not jobs or (len(jobs[-1]) >= size and not (together and len(jobs[-1]) < 2 * size)):
            jobs.append([])
        jobs[-1].append(number)
    return jobs
