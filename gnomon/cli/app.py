"""The root command and its list of subcommands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from gnomon import __version__
from gnomon.base.content import PATH_VARIABLE
from gnomon.cli._arch import arch_app
from gnomon.cli._area import area
from gnomon.cli._budget import budget
from gnomon.cli._check import check
from gnomon.cli._deploy import deploy
from gnomon.cli._diff import diff
from gnomon.cli._experiment import experiment_app
from gnomon.cli._explain import explain
from gnomon.cli._kernel import kernel
from gnomon.cli._learner import learner
from gnomon.cli._list import list_found
from gnomon.cli._new import new
from gnomon.cli._platform import platform_app
from gnomon.cli._power import power_app
from gnomon.cli._replay import replay
from gnomon.cli._report import report_app
from gnomon.cli._rtl import rtl_app
from gnomon.cli._run import run
from gnomon.cli._schema import schema
from gnomon.cli._studies import TopStudies
from gnomon.cli._sweep import sweep
from gnomon.cli._validate import validate_app
from gnomon.cli._why import why

app = typer.Typer(
    name="gnomon",
    cls=TopStudies,
    help="What an embedded learning algorithm costs on hardware that is not built yet.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Path_ = Annotated[
    list[Path] | None,
    typer.Option("--path", metavar="FOLDER", help="Look for content in this folder as well."),
]
Version = Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)]


@app.callback(invoke_without_command=True)
def root(ctx: typer.Context, *, path: Path_ = None, version: Version = False) -> None:
    """What an embedded learning algorithm costs on hardware that is not built yet."""
    if version:
        print(f"gnomon {__version__}")
        raise typer.Exit
    if path:
        before = os.environ.get(PATH_VARIABLE)
        folders = [*([before] if before else []), *(str(each.resolve()) for each in path)]
        os.environ[PATH_VARIABLE] = os.pathsep.join(folders)
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


app.add_typer(arch_app, name="arch")
app.add_typer(validate_app, name="validate")
app.add_typer(report_app, name="report")
app.add_typer(power_app, name="power")
app.add_typer(platform_app, name="platform")
app.add_typer(rtl_app, name="rtl")
app.add_typer(experiment_app, name="experiment")
app.command("run")(run)
app.command("list")(list_found)
app.command("new")(new)
app.command("check")(check)
app.command("why")(why)
app.command("kernel")(kernel)
app.command("learner")(learner)
app.command("sweep")(sweep)
app.command("deploy")(deploy)
app.command("budget")(budget)
app.command("diff")(diff)
app.command("replay")(replay)
app.command("area")(area)
app.command("explain")(explain)
app.command("schema")(schema)
