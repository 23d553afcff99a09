"""Commands that are known by name and one line; the rest is imported when somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from collections.abc import Callable


class Late(TyperCommand):
    """One of them, in the place of what it stands for."""

    def __init__(self, name: str, title: str, load: Callable[[], Any]) -> None:
        """Know of it.

        Args:
            name: as the command line takes it.
            title: what help says of it, in a line.
            load: gives the command.
        """
        super().__init__(name, callback=None, help=title, short_help=title)
        self._load = load

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """The first thing that running it, or asking for its help, does."""
        return self._load().make_context(info_name, args, parent, **extra)


def as_command(name: str, loaded: Any, title: str | None = None) -> Any:
    """A function or a group of commands as what Typer runs; ``title`` replaces its docstring."""
    if isinstance(loaded, typer.Typer):
        return typer.main.get_group(loaded)
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name, help=title)(loaded)
    return typer.main.get_command(app)
