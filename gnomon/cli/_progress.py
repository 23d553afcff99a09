"""Progress on a terminal, on stderr; nothing at all in a pipe."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def cycles_progress(title: str) -> Iterator[Callable[[int], None] | None]:
    """Give a function to call with the cycle reached, or None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:,.0f} cycles"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task(title, total=None)
        yield lambda cycle: progress.update(task, completed=cycle)


@contextmanager
def steps_progress(title: str, total_steps: int) -> Iterator[Callable[[str], None]]:
    """Give a function to call with the name of each step when it is done."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[done]}"),
        console=Console(stderr=True),
        transient=True,
    ) as progress:
        task = progress.add_task(title, total=total_steps, done="")
        yield lambda done: progress.update(task, advance=1, done=done)
