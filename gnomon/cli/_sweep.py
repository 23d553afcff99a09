"""``gnomon sweep``: evaluate the points of a design space; what is known is not computed again."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gnomon.base.errors import CheckFailed, GnomonError, Interrupted
from gnomon.base.interrupt import interrupted
from gnomon.base.progress import points_progress
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import argument, option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gnomon.explore import SweepResult

Spec = Annotated[Path, argument("SPEC.yaml", "What varies, and what is wanted.")]
Jobs = Annotated[
    int | None, option("--jobs N", "Processes; 1 = this one.", shown="as many as CPUs")
]
Cluster = Annotated[str | None, option("--cluster ADDRESS", "A Dask scheduler, tcp://host:8786.")]


@answers()
def sweep(
    spec: Spec,
    *,
    jobs: Jobs = None,
    cluster: Cluster = None,
    out: Path | None = option("--out FOLDER", "Where the results go.", None, shown="sweeps/NAME"),
    parquet: bool | None = option(
        "--parquet/--no-parquet",
        "Write results.parquet, besides results.csv.",
        None,
        shown="where pyarrow is installed",
    ),
) -> Answer:
    """Evaluate the points of a design space; run it again to go on where it ended.

    The exit code is 1 where all points failed.
    """
    check_places(jobs, cluster)

    from gnomon.explore import read_sweep, run_sweep
    from gnomon.explore.files import CSV, PARQUET, SUMMARY, check_parquet, summarize

    written = check_parquet(wanted=parquet)
    chosen = read_sweep(spec)
    folder = out or Path("sweeps") / chosen.name
    with running(chosen.name) as progress:
        result = run_sweep(
            chosen, folder, parquet=written, jobs=jobs, cluster=cluster, progress=progress
        )
    names = (CSV, *([PARQUET] if written else []), SUMMARY)
    files = [str(folder / name) for name in names]
    counts = {name: getattr(result.counts, name) for name in type(result.counts).__slots__}

    def show() -> None:
        from gnomon.report.sweep_text import print_sweep

        print_sweep(result)
        for name in files:
            print(name)

    yield lambda: summarize(result) | {"counts": counts, "files": files}, show
    check_points(spec, result)


def check_points(spec: Path, result: SweepResult) -> None:
    """Exit code 1 where all points failed, after what is to be seen of them."""
    if result.rows and len(result.failed) == len(result.rows):
        raise CheckFailed(
            f"{spec}: all {len(result.rows)} points failed; the first reason:"
            f" {result.rows[0].outcome.reason}"
        )


def check_places(jobs: int | None, cluster: str | None) -> None:
    """Refuse what says nothing, or two things at once, about where points run."""
    if jobs is not None and jobs < 1:
        raise GnomonError(f"--jobs must be at least 1, not {jobs}")
    if jobs is not None and cluster is not None:
        raise GnomonError("--jobs and --cluster both say where points run; leave out one")


@contextmanager
def running(title: str) -> Iterator[Callable[[int, int, int], None]]:
    """Give the progress of a sweep; what Ctrl-C leaves is reported.

    Raises:
        Interrupted: Ctrl-C, with how to go on.
    """
    reached = (0, 0)
    try:
        with points_progress(title) as show:

            def progress(done: int, planned: int, computed: int) -> None:
                nonlocal reached
                reached = done, planned
                show(done, planned, computed)

            yield progress
    except BaseException as error:
        if not interrupted(error):
            raise
        done, planned = reached
        raise Interrupted(
            f"interrupted at {done:,} of {planned:,} points; what is finished is kept, the same"
            " command goes on from there"
        ) from None
