"""The page of all commands, arguments and options, read from the functions of the commands."""

from functools import cache

import typer

from gnomon.cli._listing import Command, Parameter, list_commands
from gnomon.cli.app import app
from gnomon.cli.reference._markdown import code, page, table

EXIT_CODES = {
    0: "the command succeeded; the return value of a program does not matter",
    1: "a check failed: wrong bits, a failed comparison, an exceeded budget, a program that ends in"
    " a trap, a sweep whose points all failed",
    2: "bad input: an unusable option, file or program; a run that ends in a fault, a hang or the"
    " cycle limit. One message on stderr names problem and place",
    70: "a mistake in gnomon; the message names a file with the details, for a report",
    130: "Ctrl-C; 143: SIGTERM; 141: the reader of stdout closed it",
}

_INTRODUCTION = """\
Results go to stdout, progress and messages to stderr. With `--json` stdout is one JSON value and
nothing else; every command takes it. `gnomon COMMAND --help` prints the same as this page."""


@cache
def commands() -> tuple[Command, ...]:
    """Return all commands in the order of ``gnomon --help``, groups last."""
    return tuple(list_commands(typer.main.get_command(app)))


def commands_page() -> str:
    parts = [_INTRODUCTION, "## Exit codes"]
    parts.append(table(("code", "means"), [(str(n), text) for n, text in EXIT_CODES.items()]))
    for command in commands():
        parts += [f"## gnomon {command.name}", command.help, code(_format_usage(command))]
        header = ("", "takes", "default", "meaning")
        parts.append(table(header, [_parameter_row(each) for each in command.parameters]))
    return page("Commands", *parts)


def _format_usage(command: Command) -> str:
    words = ["gnomon", command.name]
    for each in command.parameters:
        if each.required:
            words += [each.names[0], *([each.takes] if each.takes else [])]
    return " ".join([*words, "[OPTIONS]"])


def _parameter_row(parameter: Parameter) -> tuple[str, ...]:
    is_stated = not parameter.repeatable or "repeatable" in parameter.help
    meaning = parameter.help + ("" if is_stated else " Repeatable.")
    default = "required" if parameter.required else parameter.default
    names = ", ".join(code(name) for name in parameter.names)
    return names, code(parameter.takes), default, meaning
