"""Every command, argument and option, from the functions that the command line is made of."""

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
    names: tuple[str, ...]  # spellings; of an argument, the word that help shows
    argument: bool
    takes: str  # what it is followed by; empty for a flag
    required: bool
    repeatable: bool
    default: str  # as people read it; empty where there is none
    help: str


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its words behind ``gnomon``, what it does, what it takes."""

    name: str
    help: str
    parameters: tuple[Parameter, ...]


def list_commands(made: Any, name: str = "") -> Iterator[Command]:
    """Return a command; of a group what it does by itself, if anything, then what is in it."""
    study = _study(name)
    if study is not None and not study.found.shipped:  # its code is not run to learn its options
        yield Command(name, study.title, ())
        return
    if study is not None:
        made = typer.main.get_command(study.app())
    if not isinstance(made, TyperGroup):
        yield Command(name, made.help or "", tuple(map(_parameter, made.params)))
        return
    if made.invoke_without_command:
        text = inspect.getdoc(made.callback) or ""
        yield Command(name or "--path FOLDER", text, tuple(map(_parameter, made.params)))
    for below, each in made.commands.items():
        if not each.hidden:
            yield from list_commands(each, f"{name} {below}".strip())


def _study(name: str) -> Study | None:
    """Return the study that is this command; None if it is another command."""
    *group, last = name.split() or [""]
    study = list_studies().get(last)
    return study if study is not None and [study.group] == (group or [TOP]) else None


def _parameter(made: Any) -> Parameter:
    argument, kind = isinstance(made, TyperArgument), made.type_descriptor.annotation
    repeatable = get_origin(kind) is list
    kind = get_args(kind)[0] if repeatable else kind
    spelled = ["/".join((*made.opts, *made.secondary_opts))] if made.secondary_opts else made.opts
    return Parameter(
        names=(made.metavar or made.name.upper(),) if argument else tuple(spelled),
        argument=argument,
        takes="" if argument or kind is bool else made.metavar or _words(kind),
        required=made.required,
        repeatable=repeatable,
        default=_default(made.show_default, made.default),
        help=made.help or "",
    )


def _words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "|".join(map(str, get_args(kind)))
    return {int: "INTEGER", float: "NUMBER", Path: "PATH"}.get(kind, "TEXT")


def _default(shown: object, value: object) -> str:
    if isinstance(shown, str):
        return shown
    if value is None or isinstance(value, bool):
        return ""
    return value.as_posix() if isinstance(value, Path) else str(value)
