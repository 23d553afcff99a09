"""The table of commands, and a command line with some or all of them."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any

import typer

from gnomon._version import __version__
from gnomon.cli._options import option
from gnomon.cli._path import look_in

_COMMANDS = {
    "run": "_run:run", "build": "_build:build", "headers": "_headers:headers",
    "list": "_list:list_found", "new": "_new:new", "check": "_check:check", "why": "_why:why",
    "advise": "_advise:advise", "live": "_live:live", "kernel": "_kernel:kernel",
    "learner": "_learner:learner", "choose": "_choose:choose", "sweep": "_sweep:sweep",
    "deploy": "_deploy:deploy", "budget": "_budget:budget", "diff": "_diff:diff",
    "replay": "_replay:replay", "area": "_area:area", "explain": "_explain:explain",
    "schema": "_schema:schema", "completion": "_completion:completion",
    "calibrate": "_calibrate:calibrate", "gates": "_gates:gates",
}  # fmt: skip
_GROUPS = {
    "cache": "_cache:cache_app", "arch": "_arch:arch_app", "validate": "_validate:validate_app",
    "report": "_report:report_app", "power": "_power:power_app",
    "platform": "_platform:platform_app", "rtl": "_rtl:rtl_app",
    "experiment": "_studies:experiment_app",
}  # fmt: skip
"""Where each command and group is defined: a module of this package, and its name there."""

_WITH_STUDIES = ("report", "experiment")
"""Groups of which studies are commands."""

ALL = (*_COMMANDS, *_GROUPS)
"""The names of all commands but studies, in the order of ``gnomon --help``."""

Path_ = Annotated[list[Path] | None, option("--path FOLDER", "Additional content folder.")]
Version = Annotated[bool, option("--version", "Print the version.", is_eager=True)]


def command_line(names: Iterable[str] = ALL) -> typer.Typer:
    """Return a command line with the commands of these names; only their modules are imported.

    A group with studies adds all studies, those of the command line itself included.
    """
    app = typer.Typer(
        name="gnomon",
        help="Report what an embedded learning algorithm costs on hardware that is not built yet.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback(invoke_without_command=True)(root)
    studied = {}
    for name in names:
        if name in _COMMANDS:
            command = _load(_COMMANDS[name])
            app.command(name, short_help=summary(command))(command)
            continue
        group = _load(_GROUPS[name])
        app.add_typer(group, short_help=str(group.info.help))
        if name in _WITH_STUDIES:
            studied[name] = group
    if studied:
        from gnomon.cli._studies import TOP, add_studies

        add_studies({TOP: app, **studied})
    return app


def named(words: Sequence[str]) -> str | None:
    """Return the name of :data:`ALL` that the words of a command line start with, or None."""
    rest = iter(words)
    for word in rest:
        if word == "--path":
            next(rest, "")
        elif not word.startswith("--path="):
            return word if word in ALL else None
    return None


def summary(command: Callable[..., None]) -> str:
    """Return the short help of a command: the first paragraph of its docstring, as one line."""
    return " ".join((inspect.getdoc(command) or "").split("\n\n")[0].split())


def root(ctx: typer.Context, *, path: Path_ = None, version: Version = False) -> None:
    """Report what an embedded learning algorithm costs on hardware that is not built yet."""
    if version:
        print(f"gnomon {__version__}")
        raise typer.Exit
    look_in(path or ())
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


def _load(place: str) -> Any:
    return resolve_name(f"gnomon.cli.{place}")
