"""``gnomon sweep``: evaluate the points of a design space; finished points are reused."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from gnomon.base.errors import CheckFailed, GnomonError, Interrupted
from gnomon.base.interrupt import interrupted
from gnomon.base.progress import points_progress
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Cluster, argument, option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gnomon.explore import SweepResult

Spec = Annotated[Path, argument("SPEC.yaml", "Sweep file: axes, constraints and objectives.")]
Jobs = Annotated[
    int | None, option("--jobs N", "Number of processes; 1: this process.", shown="as many as CPUs")
]


@with_json_output()
def sweep(
    spec: Spec,
    *,
    jobs: Jobs = None,
    cluster: Cluster = None,
    out: Path | None = option("--out FOLDER", "Folder of the results.", None, shown="sweeps/NAME"),
    parquet: bool | None = option(
        "--parquet/--no-parquet",
        "Write results.parquet in addition to results.csv.",
        None,
        shown="if pyarrow is installed",
    ),
) -> CommandOutput:
    """Evaluate a design space; rerun to resume.

    Exit code 1 if all points failed.
    """
    check_places(jobs, cluster)

    from gnomon.explore import read_sweep, run_sweep
    from gnomon.explore.files import check_parquet, result_files, summarize

    written = check_parquet(wanted=parquet)
    chosen = read_sweep(spec)
    folder = out or Path("sweeps") / chosen.name
    with sweep_progress(chosen.name) as progress:
        result = run_sweep(
            chosen, folder, parquet=written, jobs=jobs, cluster=cluster, progress=progress
        )
    files = [str(folder / name) for name in result_files(len(result.rows), parquet=written)]
    unchecked = _list_unchecked(result)
    counts = {name: getattr(result.counts, name) for name in type(result.counts).__slots__}

    def show() -> None:
        from gnomon.report.sweep_text import print_sweep

        print_sweep(result)
        for name in files:
            print(name)
        for line in unchecked:
            print(line)

    yield (
        lambda: summarize(result) | {"counts": counts, "files": files, "unchecked": unchecked},
        show,
    )
    check_points(spec, result)


def _list_unchecked(result: SweepResult) -> list[str]:
    """Return a line for each unit of which some swept points were not checked."""
    from gnomon.rtl.unit_record import describe_unchecked

    points = result.points
    return describe_unchecked(points.take(~points.failed).list_units())


def check_points(spec: Path, result: SweepResult) -> None:
    """Check that at least one point succeeded.

    Raises:
        CheckFailed: if all points failed.
    """
    reasons = result.failures
    if len(result.rows) and sum(reasons.values()) == len(result.rows):
        raise CheckFailed(
            f"{spec}: all {len(result.rows)} points failed; the first reason: {next(iter(reasons))}"
        )


def check_places(jobs: int | None, cluster: str | None) -> None:
    """Check ``--jobs`` and ``--cluster``.

    Raises:
        GnomonError: if ``--jobs`` is below 1, or both options are given.
    """
    if jobs is not None and jobs < 1:
        raise GnomonError(f"--jobs must be at least 1, not {jobs}")
    if jobs is not None and cluster is not None:
        raise GnomonError("--jobs and --cluster both select where points run; leave out one")


@contextmanager
def sweep_progress(title: str) -> Iterator[Callable[[int, int, int], None]]:
    """Yield the progress function of a sweep.

    Raises:
        Interrupted: if Ctrl-C stops the sweep; the message says how to resume.
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
            f"interrupted at {done:,} of {planned:,} points; finished points are cached; rerun the"
            " sweep to resume"
        ) from None
