"""``gnomon report``: regenerate pages and tables; write a design space as one page."""

from pathlib import Path

import typer

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument, option
from gnomon.cli._sweep import Cluster, Jobs, Spec, check_places, check_points, sweep_progress

report_app = typer.Typer(name="report", help="Regenerate pages and tables.", no_args_is_help=True)
DEFAULT_SWEEPS = Path("out/sweeps")


@report_app.command()
@with_json_output()
def sweep(
    spec: Spec,
    *,
    jobs: Jobs = None,
    cluster: Cluster = None,
    out: Path | None = option("--out FOLDER", "Output folder.", None, shown="out/sweeps/NAME"),
) -> CommandOutput:
    """Write a sweep as an interactive page, a table and figures; finished points are reused.

    Exit code 1 if all points failed.
    """
    check_places(jobs, cluster)

    from gnomon.base.files import read_text
    from gnomon.explore import read_sweep, run_sweep
    from gnomon.report.sweep import write_sweep_report

    chosen = read_sweep(spec)
    with sweep_progress(chosen.name) as progress:
        result = run_sweep(chosen, jobs=jobs, cluster=cluster, progress=progress)
    folder = out or DEFAULT_SWEEPS / chosen.name
    paths = [str(path) for path in write_sweep_report(result, folder, read_text(spec))]
    yield {"files": paths}, paths
    check_points(spec, result)


@report_app.command()
@with_json_output()
def index(
    folder: Path = argument("FOLDER", "Folder with pages at any depth.", Path("out"), shown="out"),
) -> CommandOutput:
    """Write a page that links all pages of a folder, with the first sentence of each."""
    from gnomon.base.errors import GnomonError
    from gnomon.report.index_page import write_index

    if not folder.is_dir():
        raise GnomonError(f"{folder}: not a folder")
    written = str(write_index(folder))
    yield {"files": [written]}, [written]
