"""``gnomon report``: pages and tables, made again from runs; a design space as one page."""

from pathlib import Path

import typer

from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import argument, option
from gnomon.cli._sweep import Cluster, Jobs, Spec, check_places, check_points, running

report_app = typer.Typer(
    name="report", help="Pages and tables, made again from runs.", no_args_is_help=True
)
DEFAULT_SWEEPS = Path("out/sweeps")


@report_app.command()
@answers()
def sweep(
    spec: Spec,
    *,
    jobs: Jobs = None,
    cluster: Cluster = None,
    out: Path | None = option("--out FOLDER", "[default: out/sweeps/NAME]", None),
) -> Answer:
    """A sweep as a page to explore, a table and pictures; known points are not computed again.

    The exit code is 1 where all points failed.
    """
    check_places(jobs, cluster)

    from gnomon.base.files import read_text
    from gnomon.explore import read_sweep, run_sweep
    from gnomon.report.sweep import write_sweep_report

    chosen = read_sweep(spec)
    with running(chosen.name) as progress:
        result = run_sweep(chosen, jobs=jobs, cluster=cluster, progress=progress)
    folder = out or DEFAULT_SWEEPS / chosen.name
    paths = [str(path) for path in write_sweep_report(result, folder, read_text(spec))]
    yield {"files": paths}, paths
    check_points(spec, result)


@report_app.command()
@answers()
def index(
    folder: Path = argument("FOLDER", "Where pages are, at any depth.", Path("out"), shown="out"),
) -> Answer:
    """One page that leads to all pages of a folder, with what each says first."""
    from gnomon.base.errors import GnomonError
    from gnomon.report.index_page import write_index

    if not folder.is_dir():
        raise GnomonError(f"{folder}: is no folder")
    written = str(write_index(folder))
    yield {"files": [written]}, [written]
