"""Measurements in some processes until a time is up; a study that is stopped resumes."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from threading import Thread
from typing import Any, TypeAlias, TypeVar

from gnomon.report.study import Keeps

T = TypeVar("T")
Call: TypeAlias = "tuple[Any, ...]"


class Work:
    """Calls functions in some processes; finished calls come from the cache.

    Each result is cached when it is computed, so a killed process loses the calls that it computes.
    """

    def __init__(self, keeps: Keeps, jobs: int = 1, minutes: float | None = None) -> None:
        """Start the clock.

        Args:
            keeps: caches of results.
            jobs: number of processes; 1: this one.
            minutes: time after which no call starts; None: no limit.
        """
        self._keeps, self._jobs = keeps, jobs
        self._begin, self._minutes = time.monotonic(), minutes

    @property
    def time_is_up(self) -> bool:
        """Whether no call may start any more."""
        if self._minutes is None:
            return False
        return time.monotonic() - self._begin >= 60.0 * self._minutes

    def say(self, text: str) -> None:
        """Print what the study does, with the time since its start."""
        minutes = (time.monotonic() - self._begin) / 60.0
        print(f"gnomon: {minutes:.1f} min: {text}", file=sys.stderr, flush=True)

    def over(
        self, compute: Callable[..., T], calls: Sequence[Call], title: str,
        name: Callable[[Call], str] = str,
    ) -> Iterator[tuple[Call, T | None]]:  # fmt: skip
        """Yield the arguments of each call with its result; None if no time was left for it.

        Cached results come first.
        """
        keep = self._keeps.measuring
        missing = []
        for call in calls:
            if keep.holds(compute, *call):
                yield call, keep(compute, *call)
            else:
                missing.append(call)
        if not missing:
            return
        self.say(f"{title}: {len(missing)} of {len(calls)} are to be measured")
        done, total = 0, 0.0
        for call, found in self._computed(compute, missing):
            if found is None:
                yield call, None
                continue
            value, seconds = found
            done, total = done + 1, total + seconds
            left = len(missing) - done
            hours = total / done * left / self._jobs / 3600
            self.say(f"{name(call)}: {seconds:.1f} s of processor time; {title}: {left} left,"
                     f" about {hours:.2f} h")  # fmt: skip
            yield call, value
        if done < len(missing):
            self.say(f"{title}: no time is left for {len(missing) - done}")

    def _computed(
        self, compute: Callable[..., T], calls: Sequence[Call]
    ) -> Iterator[tuple[Call, tuple[T, float] | None]]:
        """Yield calls with their results and seconds of processor time; None: no time was left."""
        if self._jobs == 1 or self.time_is_up:
            for call in calls:
                yield call, None if self.time_is_up else _timed(self._keeps, compute, call)
            return
        rest, running = list(calls), dict[Future[tuple[T, float]], Call]()
        with ProcessPoolExecutor(
            self._jobs, mp_context=get_context("spawn"), initializer=_end_with_parent
        ) as pool:
            while rest or running:
                while rest and len(running) < self._jobs and not self.time_is_up:
                    call = rest.pop(0)
                    running[pool.submit(_in_worker, self._keeps.fresh, compute, call)] = call
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        for call in rest:
            yield call, None


def _timed(keeps: Keeps, compute: Callable[..., T], call: Call) -> tuple[T, float]:
    """Return the result, and the processor time of this process and of its ended children."""
    begin = os.times()
    value = keeps.measuring(compute, *call)
    return value, sum(os.times()[:4]) - sum(begin[:4])


def _in_worker(fresh: bool, compute: Callable[..., T], call: Call) -> tuple[T, float]:
    return _timed(Keeps(fresh=fresh), compute, call)


def _end_with_parent() -> None:
    """End this process when its parent ends, even if the parent is killed."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
