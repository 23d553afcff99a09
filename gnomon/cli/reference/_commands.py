"""Every command, argument and option, from the functions that the command line is made of."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from typer import Context, Typer
from typer.models import ArgumentInfo, OptionInfo
from typer.utils import get_params_from_function

from gnomon.base.content import find
from gnomon.base.loading import load
from gnomon.cli.app import COMMANDS, app, load_command
from gnomon.cli.reference._markdown import code, page, table
from gnomon.report.study import studies

EXIT_CODES = {
    0: "it ran; what a program returns does not matter",
    1: "a check says no: wrong bits, a failed comparison, a broken budget, a program that ends in a"
    " trap, a sweep whose points all failed",
    2: "bad input: an option, a file or a program that cannot be used; a run that ends in a fault,"
    " a hang or the cycle limit. One message on stderr says what and where",
    70: "a mistake in gnomon; the message names a file with the details, for a report",
    130: "Ctrl-C; 143: SIGTERM; 141: nobody reads what is printed",
}

_INTRODUCTION = """\
Results go to stdout, progress and messages to stderr. With `--json` stdout is one JSON value and
nothing else; every command takes it. `gnomon COMMAND --help` prints the same as this page."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument or option.

    Attributes:
        names: spellings; of an argument, the word that help shows.
        takes: what it is followed by; empty for a flag.
        default: as people read it; empty where there is none.
    """

    names: tuple[str, ...]
    argument: bool
    takes: str
    required: bool
    repeatable: bool
    default: str
    help: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its words behind ``gnomon``, what it does, what it takes."""

    name: str
    help: str
    parameters: tuple[Parameter, ...]


def commands() -> tuple[Command, ...]:
    """All commands, groups after the rest, in the order of ``gnomon --help``."""
    return tuple(_all())


def commands_page() -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION, "## Exit codes"]
    parts.append(table(("code", "means"), [(str(n), text) for n, text in EXIT_CODES.items()]))
    for command in commands():
        parts += [f"## gnomon {command.name}", command.help, code(_usage(command))]
        header = ("", "takes", "default", "meaning")
        parts.append(table(header, [_row(each) for each in command.parameters]))
    return page("Commands", *parts)


def _all() -> Iterator[Command]:
    yield from _walk(app, "")
    for name in COMMANDS:
        command = load_command(name)
        if isinstance(command, Typer):
            yield from _walk(command, f"{name} ")
            yield from _studies(name, f"{name} ")
        else:
            yield _command(name, command, "")
    yield from _studies("study", "")


def _command(name: str, callback: Callable[..., Any], title: str) -> Command:
    text = inspect.cleandoc(title or callback.__doc__ or "")
    return Command(name, text, tuple(_parameters(callback)))


def _walk(level: Typer, prefix: str) -> Iterator[Command]:
    alone = level.registered_callback
    if alone is not None and alone.callback is not None and alone.invoke_without_command is True:
        yield _command(prefix.strip() or "--path FOLDER", alone.callback, "")
    for info in level.registered_commands:
        callback = info.callback
        assert callback is not None
        name = info.name or callback.__name__.replace("_", "-")
        yield _command(prefix + name, callback, info.help or "")
    for group in level.registered_groups:
        assert group.typer_instance is not None
        yield from _walk(group.typer_instance, f"{prefix}{group.name} ")


def _studies(command: str, prefix: str) -> Iterator[Command]:
    """The studies that a group of commands runs."""
    for name, study in studies(command).items():
        main = load(find("reports", name).folder, "study").main
        yield _command(f"{prefix}{name}", main, study.title)


def _parameters(callback: Callable[..., Any]) -> Iterator[Parameter]:
    for name, each in get_params_from_function(callback).items():
        info, (kind, repeatable) = each.default, _kind(each.annotation)
        if kind is Context:
            continue
        argument = isinstance(info, ArgumentInfo)
        assert argument or isinstance(info, OptionInfo), f"{callback.__name__}: {name} is neither"
        required = info.default is ...
        yield Parameter(
            names=(info.metavar or name.upper(),)
            if argument
            else tuple(info.param_decls or (f"--{name.replace('_', '-')}",)),
            argument=argument,
            takes="" if argument or kind is bool else info.metavar or _words(kind),
            required=required,
            repeatable=repeatable,
            default=_default(info.show_default, None if required else info.default),
            help=info.help or "",
        )


def _kind(hint: Any) -> tuple[Any, bool]:
    """The type of one value, and whether there may be several."""
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(each for each in get_args(hint) if each is not type(None))
    if get_origin(hint) is list:
        return get_args(hint)[0], True
    return hint, False


def _words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "|".join(str(member.value) for member in kind)
    return {int: "INTEGER", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


def _default(shown: object, value: object) -> str:
    if isinstance(shown, str):
        return shown
    if value is None or isinstance(value, bool) or value == "":
        return ""
    if isinstance(value, Path):
        return value.as_posix()
    return str(value.value if isinstance(value, Enum) else value)


def _usage(command: Command) -> str:
    words = ["gnomon", command.name]
    for each in command.parameters:
        if each.required:
            words += [each.names[0], *([each.takes] if each.takes else [])]
    return " ".join([*words, "[OPTIONS]"])


def _row(parameter: Parameter) -> tuple[str, ...]:
    said = not parameter.repeatable or "repeatable" in parameter.help
    meaning = parameter.help + ("" if said else " Repeatable.")
    default = "required" if parameter.required else parameter.default
    names = ", ".join(code(name) for name in parameter.names)
    return names, code(parameter.takes), default, meaning
