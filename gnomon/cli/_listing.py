"""Every command, argument and option, read from the functions of the commands."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer
from typer.core import TyperArgument, TyperGroup

from gnomon.cli._studies import TOP, Study, list_studies


@dataclass(frozen=True, slots=True)
class Parameter:
    names: tuple[str, ...]  # spellings; for an argument, its word in help texts
    argument: bool
    takes: str  # word for the value in help texts; empty for a flag
    required: bool
    repeatable: bool
    default: str  # human-readable; empty if there is none
    help: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its words after ``gnomon``, its help text and its parameters."""

    name: str
    help: str
    parameters: tuple[Parameter, ...]


def list_commands(command: Any, name: str = "") -> Iterator[Command]:
    """Yield a command; for a group, its own command (if any), then the commands in it."""
    study = _find_study(name)
    if study is not None and not study.found.shipped:  # listing must not run user-defined code
        yield Command(name, study.title, ())
        return
    if study is not None:
        command = typer.main.get_command(study.app())
    if not isinstance(command, TyperGroup):
        yield Command(name, command.help or "", tuple(map(_read_parameter, command.params)))
        return
    if command.invoke_without_command:
        text = inspect.getdoc(command.callback) or ""
        yield Command(name or "--path FOLDER", text, tuple(map(_read_parameter, command.params)))
    for below, each in command.commands.items():
        if not each.hidden:
            yield from list_commands(each, f"{name} {below}".strip())


def _find_study(name: str) -> Study | None:
    """Return the study that a command runs; None if the command is not a study."""
    *group, last = name.split() or [""]
    study = list_studies().get(last)
    return study if study is not None and [study.group] == (group or [TOP]) else None


def _read_parameter(given: Any) -> Parameter:
    argument, kind = isinstance(given, TyperArgument), given.type_descriptor.annotation
    repeatable = get_origin(kind) is list
    kind = get_args(kind)[0] if repeatable else kind
    spelled = given.opts
    if given.secondary_opts:
        spelled = ["/".join((*given.opts, *given.secondary_opts))]
    return Parameter(
        names=(given.metavar or given.name.upper(),) if argument else tuple(spelled),
        argument=argument,
        takes="" if argument or kind is bool else given.metavar or _value_word(kind),
        required=given.required,
        repeatable=repeatable,
        default=_format_default(given.show_default, given.default),
        help=given.help or "",
    )


def _value_word(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    return {int: "INTEGER", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


def _format_default(shown: object, value: object) -> str:
    if isinstance(shown, str):
        return shown
    if value is None or isinstance(value, bool):
        return ""
    return value.as_posix() if isinstance(value, Path) else str(value)
