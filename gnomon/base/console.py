"""One console for tables: as wide as the terminal, and wide enough where there is none."""

from __future__ import annotations

import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

_PIPE_WIDTH = 120  # columns; a pipe has no width, and wrapped numbers are no use


def console() -> Console:
    """The console of standard output, as it is now."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(file=sys.stdout, width=width, highlight=False, markup=False)


def table(title: str, text_columns: int, *columns: str) -> Table:
    """A table whose first columns hold text and whose others hold numbers."""
    made = Table(title=title, box=SIMPLE_HEAD, title_justify="left", title_style="bold")
    for index, name in enumerate(columns):
        made.add_column(name, justify="left" if index < text_columns else "right")
    return made
