"""Executors of tasks: this process, several processes, or a Dask cluster.

An executor takes jobs (lists of tasks) and returns each job's outcomes as soon as it is done, in
any order. If a worker dies, its jobs are submitted again.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from gnomon.base.cluster import Cluster
from gnomon.base.errors import GnomonError
from gnomon.base.interrupt import delay_interrupts
from gnomon.base.workers import Worker, WorkerDied, wait_for_messages
from gnomon.explore._evaluate import WorkerCache, check_engine, evaluate_tasks
from gnomon.explore._outcomes import PointOutcome
from gnomon.explore._runs import Counts
from gnomon.explore._task import Task, known_code_digest

_TRIES = 3
_ALONE_S = 2.0  # before other processes start
_AHEAD = 2  # jobs that a process has, including the one that it evaluates
_NOTHING = Counts()
_GIVEN_UP = PointOutcome(
    reason=f"the worker process died {_TRIES} times on this point (killed, or out of memory)"
)


@dataclass(frozen=True, slots=True)
class CompletedJob:
    """Finished job: its number, and the outcomes of its tasks in order.

    ``effort`` counts the runs. ``lasting`` is false if a task was abandoned because no worker was
    available: another try may succeed.
    """

    job: int
    outcomes: tuple[PointOutcome, ...]
    effort: Counts = _NOTHING
    lasting: bool = True

    def then(self, outcomes: tuple[PointOutcome, ...], effort: Counts = _NOTHING) -> CompletedJob:
        """Return the job with additional outcomes."""
        return replace(self, outcomes=self.outcomes + outcomes, effort=self.effort + effort)


class Executor(ABC):
    """Base class of executors, which evaluate jobs."""

    workers: int

    @abstractmethod
    def run(self, jobs: Sequence[Sequence[Task]]) -> Iterator[CompletedJob]:
        """Evaluate jobs; yield results in any order.

        Raises:
            GnomonError: if the computer fails, or the cluster cannot be used.
        """

    def close(self) -> None:  # noqa: B027 - most executors hold no resources
        """Release resources."""


_own = WorkerCache()  # cache of a worker process


def work(
    tasks: Sequence[Task], digest: str, cache: WorkerCache = _own
) -> tuple[tuple[PointOutcome, ...], Counts]:
    """Evaluate a job in a worker; ``digest`` identifies the code of the caller.

    Returns the outcomes and the number of runs.
    """
    if digest != known_code_digest():
        raise GnomonError(
            "a worker has another version of gnomon than this host; results would not agree"
        )
    check_engine()
    before = cache.runs.effort
    outcomes = tuple(evaluate_tasks(tasks, cache))
    return outcomes, cache.runs.effort - before


class InProcess(Executor):
    """Executor that evaluates jobs one after another, in this process."""

    workers = 1

    def __init__(self) -> None:
        """Create an executor with an empty cache of runs."""
        self._cache = WorkerCache()

    def run(self, jobs: Sequence[Sequence[Task]]) -> Iterator[CompletedJob]:
        """Evaluate jobs, see ``Executor.run``."""
        for job, tasks in enumerate(jobs):
            yield CompletedJob(job, *work(tasks, known_code_digest(), self._cache))


class ProcessPool(Executor):
    """Executor that evaluates jobs in processes of the host."""

    def __init__(self, workers: int) -> None:
        """Create a pool; processes start with the first job."""
        self.workers = workers
        self.processes: list[Worker] = []
        self._stillborn = 0  # processes that ended before they were ready, since the last that was

    def close(self) -> None:
        """End the processes, even within a job: no partial result is cached."""
        with delay_interrupts():
            for process in self.processes:
                process.end()
            self.processes.clear()

    def run(self, jobs: Sequence[Sequence[Task]]) -> Iterator[CompletedJob]:
        """Evaluate jobs, see ``Executor.run``; retry the jobs of dead workers one by one."""
        check_engine()  # once, before every process tries
        if any(process.pending for process in self.processes):
            self.close()  # an earlier call was left before its end
        waiting, lost = deque(range(len(jobs))), list[int]()
        left = len(jobs)
        while left:
            self._start()
            self._hand_out(waiting, jobs)
            for process in wait_for_messages(self.processes):
                try:
                    message = process.receive()
                except WorkerDied:
                    if process.pending:
                        lost.append(process.pending.popleft())
                        left -= 1
                    waiting.extendleft(reversed(process.pending))
                    self._remove(process)
                    continue
                if message is not None:
                    left -= 1
                    yield CompletedJob(message[0], *message[1])
        for job in sorted(lost):
            yield self._again(job, jobs[job])

    def _hand_out(self, waiting: deque[int], jobs: Sequence[Sequence[Task]]) -> None:
        """Request waiting jobs; a process has its next job ahead, unless others would lack one."""
        for process in self.processes:
            while waiting and process.ready:
                if len(process.pending) >= (_AHEAD if len(waiting) > self.workers else 1):
                    break
                job = waiting.popleft()
                process.call(job, jobs[job], known_code_digest())

    def _start(self) -> None:
        while len(self.processes) < self.workers:
            self.processes.append(Worker(work))

    def _remove(self, process: Worker) -> None:
        """Remove a process that ended.

        Raises:
            GnomonError: if processes cannot start.
        """
        self.processes.remove(process)
        process.end()
        self._stillborn = 0 if process.ready else self._stillborn + 1
        if self._stillborn == _TRIES:
            raise GnomonError(
                f"{_TRIES} worker processes ended at their start; a script that uses several"
                ' processes runs below `if __name__ == "__main__":`, and memory must suffice'
            )

    def _again(self, job: int, tasks: Sequence[Task]) -> CompletedJob:
        """Evaluate the tasks of a lost job, each alone, so that one cannot affect another."""
        done = CompletedJob(job, ())
        for task in tasks:
            for _ in range(_TRIES):
                try:
                    done = done.then(*self._evaluate(task))
                except WorkerDied:
                    continue
                break
            else:
                done = replace(done.then((_GIVEN_UP,)), lasting=False)
        return done

    def _evaluate(self, task: Task) -> tuple[tuple[PointOutcome, ...], Counts]:
        """Evaluate a task in the first process.

        Raises:
            WorkerDied: if the process ended meanwhile.
        """
        self._start()
        process = self.processes[0]
        try:
            if not process.ready:
                process.receive()
            process.call(0, [task], known_code_digest())
            message = process.receive()
        except WorkerDied:
            self._remove(process)
            raise
        assert message is not None
        found: tuple[tuple[PointOutcome, ...], Counts] = message[1]
        return found


class AdaptivePool(Executor):
    """Executor that starts in this process and continues in several.

    Each process needs its own imports and cache, which does not pay for a short sweep.
    """

    def __init__(self, workers: int) -> None:
        """Create an executor without starting processes."""
        self.workers = workers
        self._cache, self._pool = WorkerCache(), ProcessPool(workers)
        self._left_s = _ALONE_S

    def close(self) -> None:
        """End the processes, see ``ProcessPool.close``."""
        self._pool.close()

    def run(self, jobs: Sequence[Sequence[Task]]) -> Iterator[CompletedJob]:
        """Evaluate jobs, see ``Executor.run``."""
        check_engine()
        for job, tasks in enumerate(jobs):
            alone = CompletedJob(job, ())
            for task in tasks:
                if self._left_s <= 0.0:
                    break
                began = perf_counter()
                alone = alone.then(*work([task], known_code_digest(), self._cache))
                self._left_s -= perf_counter() - began
            rest = tasks[len(alone.outcomes) :]
            if not rest:
                yield alone
                continue
            for done in self._pool.run([rest, *jobs[job + 1 :]]):
                if done.job:
                    yield replace(done, job=done.job + job)
                else:
                    both = alone.then(done.outcomes, done.effort)
                    yield replace(both, lasting=done.lasting)
            return


class DaskCluster(Executor):
    """Executor that evaluates jobs on the workers of a Dask scheduler."""

    def __init__(self, address: str, *, timeout_s: float = 10) -> None:
        """Connect to the scheduler, see ``Cluster``."""
        self._cluster = Cluster(address, timeout_s=timeout_s)
        self.workers = self._cluster.workers

    def close(self) -> None:
        """Disconnect; the cluster continues to run."""
        self._cluster.close()

    def run(self, jobs: Sequence[Sequence[Task]]) -> Iterator[CompletedJob]:
        """Evaluate jobs, see ``Executor.run``; the scheduler reassigns jobs of lost workers."""
        calls = [(tasks, known_code_digest()) for tasks in jobs]
        resume = "finished points are cached; rerun the sweep to resume"
        for job, found in self._cluster.run(work, calls, resume=resume):
            if found is None:
                yield CompletedJob(job, (_GIVEN_UP,) * len(jobs[job]), lasting=False)
            else:
                yield CompletedJob(job, *found)


def make_executor(jobs: int | None = None, cluster: str | None = None) -> Executor:
    """Return an executor: a cluster, this process, or several; ``jobs`` None: one per CPU.

    Raises:
        GnomonError: if the cluster cannot be used, or ``jobs`` is below 1.
    """
    if jobs is not None and jobs < 1:
        raise GnomonError(f"jobs must be at least 1, not {jobs}")
    if cluster is not None:
        return DaskCluster(cluster)
    if jobs is None:
        jobs = os.cpu_count() or 1
        if hasattr(os, "sched_getaffinity"):
            jobs = len(os.sched_getaffinity(0))
    return InProcess() if jobs == 1 else AdaptivePool(jobs)
