"""Progress bars on a terminal, on stderr; no output in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

T = TypeVar("T")


class Steps:
    """Counter of the steps of long work: steps done, and steps expected so far.

    Loops over :meth:`over` add their own steps. A caller that knows the number of steps in advance
    declares it with :meth:`plan`, so that the total is right from the start.
    """

    def __init__(self, show: Callable[[int, int, str], None] = lambda *_: None) -> None:
        self._show = show
        self.done = self.total = 0

    def __call__(self, name: str = "") -> None:
        """Count a step as done."""
        self.done += 1
        self.total = max(self.total, self.done)
        self._show(self.done, self.total, name)

    def plan(self, steps: int) -> None:
        """Add expected steps."""
        self.total += steps

    def over(self, items: Collection[T], name: Callable[[T], str] = str) -> Iterator[T]:
        """Yield the items; each counts as a done step when the next one is requested."""
        self.total = max(self.total, self.done + len(items))
        for item in items:
            yield item
            self(name(item))

    def count(self, names: Collection[str], results: Iterable[T]) -> Iterator[T]:
        """Yield results as they arrive; each counts as a done step with its name."""
        self.total = max(self.total, self.done + len(names))
        for name, result in zip(names, results, strict=True):
            self(name)
            yield result


@contextmanager
def _show_columns(*columns: str) -> Iterator[Progress | None]:
    """Yield progress with these columns, or None if stderr is not a terminal.

    A column is a text, or a kind: ``bar``, ``spinner``, ``count`` or ``elapsed``.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    kinds = {
        "bar": progress.BarColumn, "spinner": progress.SpinnerColumn,
        "count": progress.MofNCompleteColumn, "elapsed": progress.TimeElapsedColumn,
    }  # fmt: skip
    parts = [kinds[each]() if each in kinds else progress.TextColumn(each) for each in columns]
    with progress.Progress(*parts, console=Console(stderr=True), transient=True) as shown:
        yield shown


@contextmanager
def cycles_progress(title: str) -> Iterator[Callable[[int], None] | None]:
    """Yield a function to call with the cycle reached, or None if stderr is not a terminal."""
    cycles = "{task.completed:,.0f} cycles"
    with _show_columns("spinner", "{task.description}", cycles, "elapsed") as progress:
        if progress is None:
            yield None
        else:
            task = progress.add_task(title, total=None)
            yield lambda cycle: progress.update(task, completed=cycle)


@contextmanager
def steps_progress(title: str, total_steps: int = 0) -> Iterator[Steps]:
    """Yield the counter to call with the name of each step when the step is done."""
    columns = ("{task.description}", "bar", "count", "elapsed", "{task.fields[done]}")
    with _show_columns(*columns) as progress:
        steps = Steps()
        if progress is not None:
            task = progress.add_task(title, total=total_steps or None, done="")
            steps = Steps(
                lambda done, total, name: progress.update(
                    task, completed=done, total=total, done=name
                )
            )
            steps.plan(total_steps)
        yield steps


@contextmanager
def rounds_progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """Yield a function to call with the current work, the rounds done, and their total.

    The total may be unknown (None). Each new work gets its own bar.
    """
    rounds = "{task.completed:,.0f} {task.fields[of]}"
    with _show_columns("{task.description}", "bar", rounds, "elapsed") as progress:
        tasks: dict[str, TaskID] = {}

        def report(what: str, done: int, total: int | None) -> None:
            if progress is None:
                return
            of = "" if total is None else f"of {total:,}"
            if what not in tasks:
                for each in tasks.values():
                    progress.update(each, visible=False)
                tasks[what] = progress.add_task(what, total=total, of=of)
            progress.update(tasks[what], completed=done, total=total, of=of)

        yield report


@contextmanager
def points_progress(title: str) -> Iterator[Callable[[int, int, int], None]]:
    """Yield a function to call with points done, points planned and points computed so far.

    Shows the rate of computed points and the remaining time; cached points do not count.
    """
    columns = ("{task.description}", "bar", "count", "elapsed", "{task.fields[rate]}")
    with _show_columns(*columns) as progress:
        task = None if progress is None else progress.add_task(title, total=None, rate="")
        start = time.monotonic()

        def report(done: int, planned: int, computed: int) -> None:
            if progress is None or task is None:
                return
            seconds = time.monotonic() - start
            rate = ""
            if computed and seconds > 0:
                left_s = (planned - done) * seconds / computed
                minutes, rest_s = divmod(round(left_s), 60)
                rate = f"{computed / seconds:,.1f} points/s, {minutes}:{rest_s:02d} left"
            progress.update(task, completed=done, total=planned, rate=rate)

        yield report
