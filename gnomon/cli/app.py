"""The root command and the list of its commands."""

import os
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from gnomon._version import __version__
from gnomon.base.content import PATH_VARIABLE
from gnomon.base.options import option
from gnomon.cli._late import COMMANDS, Late, as_command, with_words
from gnomon.cli._studies import TopStudies

_GROUPS = ("arch", "cache", "validate", "report", "power", "platform", "rtl", "experiment")
_FUNCTIONS = {"list": "list_found"}


def load_command(name: str) -> Any:
    """The function of a command, or its group of commands."""
    attribute = f"{name}_app" if name in _GROUPS else _FUNCTIONS.get(name, name)
    return getattr(import_module(f"gnomon.cli._{name}"), attribute)


class Commands(TopStudies):
    """All commands; each is imported when it is asked for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        with_words(self)
        for name, title in COMMANDS.items():
            self.add_command(Late(name, title, partial(_made, name)))


def _made(name: str) -> Any:
    return as_command(name, load_command(name))


app = typer.Typer(
    name="gnomon",
    cls=Commands,
    help="What an embedded learning algorithm costs on hardware that is not built yet.",
    no_args_is_help=True,
    rich_markup_mode=None,  # formatting by rich would take longer than all the rest of --help
    add_completion=False,
    pretty_exceptions_enable=False,
)

Path_ = Annotated[
    list[Path] | None, option("--path FOLDER", "Look for content in this folder as well.")
]
Version = Annotated[bool, option("--version", "Print the version.", is_eager=True)]


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
