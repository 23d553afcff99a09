"""Commands that are known by name and one line; the rest is imported when somebody asks for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

_TITLES = Path(__file__).with_name("commands.txt").read_text(encoding="utf-8")
COMMANDS: Final = dict(line.split(": ", 1) for line in _TITLES.splitlines())
"""What help says of each, so that it need not import them; ``_<name>.py`` has the command."""


def group(name: str, kind: type[TyperGroup] | None = None) -> typer.Typer:
    """A group of commands, empty as yet, with its title."""
    return typer.Typer(name=name, cls=kind, help=COMMANDS[name], no_args_is_help=True)


class Late(TyperCommand):
    """One of them, in the place of what it stands for."""

    def __init__(
        self, name: str, title: str, load: Callable[[], Any], file: Path = Path(__file__)
    ) -> None:
        """``title`` is what help says of it, in a line; ``load`` gives the command of ``file``."""
        super().__init__(name, callback=None, help=title, short_help=title)
        self.loaded, self.file = load, file

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """The first thing that running it, or asking for its help, does."""
        return self.loaded().make_context(info_name, args, parent, **extra)


def as_command(name: str, loaded: Any, title: str | None = None) -> Any:
    """A function or a group of commands as what Typer runs; ``title`` replaces its docstring."""
    if isinstance(loaded, typer.Typer):
        return typer.main.get_group(loaded)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name, help=title)(loaded)
    return with_words(typer.main.get_command(app))


def with_words(command: Any) -> Any:
    """The command, whose parameters are read as :class:`_Words` says, ``--help`` too."""
    help_option = command.get_help_option

    def named_help(context: Any) -> Any:
        made = help_option(context)
        _Words.read(made)
        return made

    command.get_help_option = named_help
    for each in command.params:
        _Words.read(each)
    return command


class _Words:
    """Reads what a parameter was given where that is no work: nothing, a word, a path.

    Typer has pydantic make a validator of each parameter, given or not, which takes as long as a
    short run. Whatever is not read here is left to it.
    """

    def __init__(self, parameter: Any) -> None:
        self._made = parameter.get_runtime_param
        self._is = parameter.type_descriptor.annotation

    @classmethod
    def read(cls, parameter: Any) -> None:
        """Stand in for what this release of Typer would make for a parameter, if it makes one."""
        if hasattr(parameter, "get_runtime_param") and not isinstance(
            getattr(parameter.get_runtime_param, "__self__", None), cls
        ):
            parameter.get_runtime_param = cls(parameter).itself

    def itself(self) -> _Words:
        return self

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        """The value as the function takes it."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        if self._is in (int, str) and type(value) is self._is and not _limited(param):
            return value
        if several and self._is == list[str]:
            return list(value)
        if several and self._is == list[Path] and all(map(_readable_or_absent, value)):
            return [Path(each) for each in value]
        if self._is is Path and _readable_or_absent(value):
            return Path(value)
        return self._made().coerce(value, param=param, ctx=ctx)


def _limited(param: Any) -> bool:
    told = param.type_descriptor.parameter_info
    return told.min is not None or told.max is not None


def _readable_or_absent(path: Any) -> bool:
    return os.access(path, os.R_OK) or not os.path.lexists(path)
