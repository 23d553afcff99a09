"""The root command and the list of its commands."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from gnomon._version import __version__
from gnomon.cli._advise import advise
from gnomon.cli._arch import arch_app
from gnomon.cli._area import area
from gnomon.cli._budget import budget
from gnomon.cli._build import build
from gnomon.cli._cache import cache_app
from gnomon.cli._calibrate import calibrate
from gnomon.cli._check import check
from gnomon.cli._choose import choose
from gnomon.cli._completion import completion
from gnomon.cli._deploy import deploy
from gnomon.cli._diff import diff
from gnomon.cli._explain import explain
from gnomon.cli._gates import gates
from gnomon.cli._headers import headers
from gnomon.cli._kernel import kernel
from gnomon.cli._learner import learner
from gnomon.cli._list import list_found
from gnomon.cli._live import live
from gnomon.cli._new import new
from gnomon.cli._options import option
from gnomon.cli._path import look_in
from gnomon.cli._platform import platform_app
from gnomon.cli._power import power_app
from gnomon.cli._replay import replay
from gnomon.cli._report import report_app
from gnomon.cli._rtl import rtl_app
from gnomon.cli._run import run
from gnomon.cli._schema import schema
from gnomon.cli._studies import TOP, add_studies
from gnomon.cli._sweep import sweep
from gnomon.cli._validate import validate_app
from gnomon.cli._why import why

_COMMANDS: dict[str, Callable[..., None]] = {
    "run": run, "build": build, "headers": headers, "list": list_found, "new": new,
    "check": check, "why": why, "advise": advise, "live": live, "kernel": kernel,
    "learner": learner, "choose": choose, "sweep": sweep, "deploy": deploy, "budget": budget,
    "diff": diff, "replay": replay, "area": area, "explain": explain, "schema": schema,
    "completion": completion, "calibrate": calibrate, "gates": gates,
}  # fmt: skip


def summary(command: Callable[..., None]) -> str:
    """Return the short help of a command: the first paragraph of its docstring, as one line."""
    return " ".join((inspect.getdoc(command) or "").split("\n\n")[0].split())


app = typer.Typer(
    name="gnomon",
    help="Report what an embedded learning algorithm costs on hardware that is not built yet.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
experiment_app = typer.Typer(
    name="experiment",
    help="Run learner experiments; rerun to resume.",
    no_args_is_help=True,
)
for _name, _command in _COMMANDS.items():
    app.command(_name, short_help=summary(_command))(_command)
for _group in (
    cache_app, arch_app, validate_app, report_app, power_app, platform_app, rtl_app, experiment_app,
):  # fmt: skip
    app.add_typer(_group, short_help=str(_group.info.help))
add_studies({TOP: app, "report": report_app, "experiment": experiment_app})


Path_ = Annotated[list[Path] | None, option("--path FOLDER", "Additional content folder.")]
Version = Annotated[bool, option("--version", "Print the version.", is_eager=True)]


@app.callback(invoke_without_command=True)
def root(ctx: typer.Context, *, path: Path_ = None, version: Version = False) -> None:
    """Report what an embedded learning algorithm costs on hardware that is not built yet."""
    if version:
        print(f"gnomon {__version__}")
        raise typer.Exit
    look_in(path or ())
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())
