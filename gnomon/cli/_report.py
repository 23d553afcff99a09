"""``gnomon report``: pages and tables, a design space as one page, bundles of results."""

import shlex
from pathlib import Path

import typer

from gnomon.base.errors import CheckFailed
from gnomon.base.units import counted
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Cluster, argument, option, output_file
from gnomon.cli._sweep import Jobs, check_places, check_points, sweep_progress

report_app = typer.Typer(name="report", help="Regenerate pages and tables.", no_args_is_help=True)
DEFAULT_SWEEPS = Path("out/sweeps")


@report_app.command()
@with_json_output()
def sweep(
    spec: Path = argument(
        "SPEC.yaml|RESULTS.parquet", "Sweep file, or results of `gnomon sweep`, which are not run."
    ),
    *,
    jobs: Jobs = None,
    cluster: Cluster = None,
    out: Path | None = option("--out FOLDER", "Output folder.", None, shown="out/sweeps/NAME"),
) -> CommandOutput:
    """Write a sweep as an interactive page, a table and figures; finished points are reused.

    Above 100,000 points the table is results.parquet alone. Exit code 1 if all points failed.
    """
    check_places(jobs, cluster)

    from gnomon.base.errors import GnomonError
    from gnomon.base.files import read_text
    from gnomon.explore import read_results, read_sweep, run_sweep
    from gnomon.report.sweep import write_sweep_report

    if spec.suffix == ".parquet":
        if jobs is not None or cluster is not None:
            raise GnomonError(f"{spec}: results are read, not run; leave out --jobs and --cluster")
        result, text = read_results(spec), ""
    else:
        chosen, text = read_sweep(spec), read_text(spec)
        with sweep_progress(chosen.name) as progress:
            result = run_sweep(chosen, jobs=jobs, cluster=cluster, progress=progress)
    folder = out or DEFAULT_SWEEPS / result.sweep.name
    paths = [str(path) for path in write_sweep_report(result, folder, text)]
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


@report_app.command()
@with_json_output()
def page(
    file: Path = argument("PAGE.md", "Markdown page that a study wrote."),
    *,
    out: Path | None = output_file("--out -o FILE", "HTML page to write.", None, shown="PAGE.html"),
) -> CommandOutput:
    """Write the Markdown page of a study or experiment as one HTML page, pictures inside."""
    from gnomon.base.files import write_file
    from gnomon.report.markdown_page import markdown_page

    written = str(write_file(out or file.with_suffix(".html"), markdown_page(file)))
    yield {"files": [written]}, [written]


@report_app.command()
@with_json_output()
def bundle(
    source: str = argument(
        "FILE|FOLDER|STUDY",
        "Sweep or deployment file, a folder of them, or the name of a study.",
    ),
    *,
    out: Path = output_file("--out -o FILE", "Bundle to write, a .zip file.", ...),
    options: str = option("--options", "Options of the study, such as '--size full'.", ""),
) -> CommandOutput:
    """Pack inputs, versions and results into one file that another machine can verify.

    The command runs the files or the study, packs what they read below the current folder, and runs
    them again on the packed copy alone: a bundle is written only if both give the same bytes. The
    same inputs give the same bundle.
    """
    from gnomon.report.bundle import make_bundle

    made = make_bundle(source, out, shlex.split(options))
    answer = {
        "file": str(out),
        "runs": [each.name for each in made.runs],
        "inputs": sorted(made.inputs),
        "results": sorted(made.results),
        "versions": dict(made.versions),
    }
    yield (
        answer,
        [f"{out}: {counted(len(made.inputs), 'input')}, {counted(len(made.results), 'result')}"],
    )


@report_app.command()
@with_json_output()
def verify(
    file: Path = argument("FILE", "Bundle of gnomon report bundle."),
    *,
    cached: bool = option(
        "--cached", "Reuse results of the cache; by default everything is computed.", False
    ),
) -> CommandOutput:
    """Run the commands of a bundle again and compare the results byte for byte.

    Exit code 1 if a result differs; the command then names the versions that differ, such as that
    of a compiler, as the cause. It runs Python files of the bundle, so verify only bundles of
    people you trust.
    """
    from gnomon.report.bundle import verify_bundle

    found = verify_bundle(file, cached=cached)
    yield found.to_json(), found.lines()
    if found.differences:
        raise CheckFailed(f"{file}: {counted(len(found.differences), 'different result')}")
