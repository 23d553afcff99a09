"""One console for tables: as wide as the terminal, and wide enough where there is none.

What fits into a pipe is written as it is, in the layout of rich: importing and asking rich would
take a sixth of a short run. It has the rest: terminals, and what must be wrapped.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any, Literal

_PIPE_WIDTH = 120  # columns; a pipe has no width, and wrapped numbers are no use
_FORCED = ("FORCE_COLOR", "TTY_COMPATIBLE")  # pipes that rich takes for terminals
_ONE_COLUMN = 0x300  # characters below are one column wide; beyond, rich knows


@dataclass(slots=True)
class Column:
    """One column; what must not be wrapped is left to rich where there is no room."""

    name: str
    justify: Literal["left", "right"]
    no_wrap: bool = False


@dataclass(slots=True)
class Table:
    """A table of texts."""

    title: str
    columns: list[Column]
    show_header: bool = True
    rows: list[tuple[str, ...]] = field(default_factory=list)
    ends: set[int] = field(default_factory=set)

    def add_row(self, *cells: str | int | None, end_section: bool = False) -> None:
        """One more row; cells that are left out or None are empty, 1000 is ``1,000``."""
        left_out = (None,) * (len(self.columns) - len(cells))
        self.rows.append(tuple(_text(cell) for cell in (*cells, *left_out)))
        if end_section:
            self.add_section()

    def add_section(self) -> None:
        """Leave a line free after the rows so far."""
        self.ends.add(len(self.rows))

    def lines(self) -> Iterator[str]:
        """The table as text; a column of text that leaves too little room is wrapped."""
        names = tuple(each.name for each in self.columns)
        shown = [names, *self.rows] if self.show_header else self.rows
        widths = [max(map(len, cells)) for cells in zip(*shown, strict=True)]
        rest = sum(widths) + 3 * len(widths) + 1 - _PIPE_WIDTH
        if rest > 0:
            widest = widths.index(max(widths))
            widths[widest] -= rest
            fixed = any(each.no_wrap for each in self.columns)
            right = self.columns[widest].justify == "right"
            if fixed or right or widths[widest] < max(widths):
                raise _NeedsRichError
        whole = sum(widths) + 3 * len(widths) + 1
        free = " " * whole
        if len(self.title) > whole:
            raise _NeedsRichError
        if self.title:
            yield f"{self.title:{whole}}"
        yield free
        for number, cells in enumerate(shown, not self.show_header):
            wrapped = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
            for parts in zip_longest(*wrapped, fillvalue=""):
                padded = [
                    f" {part:<{width}} "
                    if column.justify == "left"
                    else f" {part.rstrip():>{width}} "
                    for column, part, width in zip(self.columns, parts, widths, strict=True)
                ]
                yield f" {' '.join(padded)} "
            if number == 0:
                yield f" {'─' * (whole - 2)} "
            elif number in self.ends and number < len(self.rows):
                yield free
        yield free


def _text(cell: str | int | None) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else f"{cell:,}"


class _NeedsRichError(Exception):
    """More than one column must be wrapped, or within a word."""


def _wrapped(text: str, width: int) -> list[str]:
    """Its lines, each as many words as there is room for."""
    if len(text) <= width:
        return [text]
    words = text.split(" ")
    if not all(words) or max(map(len, words)) > width:
        raise _NeedsRichError
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


class Console:
    """Where tables and lines are printed."""

    def print(self, shown: Table | str, *, end: str = "\n") -> None:
        """Print a table or a text, no wider than there is room."""
        if _is_pipe() and _plain(shown) and end == "\n":
            with suppress(_NeedsRichError):
                lines = list(shown.lines()) if isinstance(shown, Table) else shown.split("\n")
                if max(map(len, lines)) <= _PIPE_WIDTH:
                    sys.stdout.write("".join(f"{line}\n" for line in lines))
                    return
        from rich.console import Console as Rich

        width = None if sys.stdout.isatty() else _PIPE_WIDTH
        rich = Rich(file=sys.stdout, width=width, highlight=False, markup=False)
        rich.print(_as_rich(shown) if isinstance(shown, Table) else shown, end=end)


def console() -> Console:
    """The console of standard output, as it is now."""
    return Console()


def table(title: str, text_columns: int, *columns: str) -> Table:
    """A table whose first columns hold text and whose others hold numbers."""
    return Table(
        title,
        [
            Column(name, "left" if place < text_columns else "right")
            for place, name in enumerate(columns)
        ],
    )


def _is_pipe() -> bool:
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    forced = any(name in os.environ for name in _FORCED)
    return not sys.stdout.isatty() and encoding == "utf8" and not forced


def _plain(shown: Table | str) -> bool:
    """Whether each character is as wide as any other, and there is something to show."""
    if isinstance(shown, str):
        texts = shown.split("\n")
    elif shown.rows or shown.show_header:
        texts = [shown.title, *(each.name for each in shown.columns), *chain(*shown.rows)]
    else:
        return False
    whole = "".join(texts)
    return whole.isprintable() and ord(max(whole, default=" ")) < _ONE_COLUMN


def _as_rich(shown: Table) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable

    made = RichTable(
        title=shown.title, box=SIMPLE_HEAD, title_justify="left", title_style="bold",
        show_header=shown.show_header,
    )  # fmt: skip
    for each in shown.columns:
        made.add_column(each.name, justify=each.justify, no_wrap=each.no_wrap)
    for number, cells in enumerate(shown.rows, 1):
        made.add_row(*cells, end_section=number in shown.ends)
    return made
