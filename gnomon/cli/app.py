"""The root command and the list of its commands."""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from gnomon import __version__
from gnomon.base.content import PATH_VARIABLE
from gnomon.base.options import option
from gnomon.cli._late import Late, as_command, with_words
from gnomon.cli._studies import TopStudies

COMMANDS: Final = {
    "run": "Run a program to its exit; the exit code is 0 whatever the program returns.",
    "build": "Build sources for a machine; the same input gives the same bytes.",
    "headers": "Write the headers of a machine and compile_commands.json, so that editors know "
    "them.",
    "list": "List what is found: machines, kernels, learners, studies; shipped and your own.",
    "new": "Make a machine, kernel, learner, study or project that works as it is.",
    "check": "Run the contract checks of kernels, learners and others; exit code 1: one fails.",
    "why": "Say where the cycles of a program go, what bounds it, and what other machines would "
    "gain.",
    "advise": "Say what to change first, and what it saves: by a run of the change, or at most.",
    "live": "Show a program on a page of this computer: cycles and µJ by line, sliders of the "
    "machine.",
    "kernel": "Measure a kernel; its result is compared bit by bit with the reference (exit code "
    "1).",
    "learner": "Run one selection and one update; every bit is compared with this computer (exit "
    "code 1).",
    "sweep": "Evaluate the points of a design space; run it again to go on where it ended.",
    "deploy": "Run a deployment: latency, missed deadlines, power, battery life, what keeps the "
    "limits.",
    "budget": "Hold cycles, energy, stack and code size against limits; exit code 1 if one is "
    "exceeded.",
    "diff": "Compare two runs: the first instruction that differs, and whose cycles changed.",
    "replay": "Price a trace: each distinct call is simulated once, totals are sums over all "
    "calls.",
    "area": "LUT, FF, DSP and BRAM of a machine by part, each with its interval and source.",
    "explain": "Where a number comes from: the chain down to the row of a table and its origin.",
    "cache": "The cache folder: show it, check it, make it smaller.",
    "schema": "Print the JSON Schema of a kind of file; editors complete and check keys with it.",
    "completion": "Print what makes a shell complete commands, options and machines.",
    "arch": "Machines: list them, show one, check a file.",
    "validate": "The simulator against external references.",
    "report": "Pages and tables, made again from runs.",
    "power": "Switching activity of simulations, and power tables fitted to it.",
    "platform": "Cores that are priced by a table of costs.",
    "calibrate": "Measure an in-order core as RTL; write a machine that is exact, or say why none "
    "is.",
    "rtl": "Our RTL and the real core, compared with the simulator.",
    "experiment": "Experiments with learners: page, tables and figures. One that was stopped goes "
    "on.",
}
"""What help says of each, so that it need not import them; ``_<name>.py`` has the command."""

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
