"""The console for tables: as wide as the terminal, or 120 columns in a pipe.

No cell is cut. A table that is too wide first wraps its headings, then texts between words, then
names at their dots, dashes and underscores. On a terminal it is then printed in two parts, each
with the columns that identify its rows. Lines that still do not
fit run over: half a number is useless.

The package rich prints, because it handles terminals, their styles and the widths of characters.
The layout is computed here, because rich breaks numbers and words of wide tables, or cuts them.
"""

import errno
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rich.cells import cell_len

if TYPE_CHECKING:
    from rich.console import Console as RichConsole

_PIPE_WIDTH = 120  # columns; a pipe has no width, and wrapped numbers are useless
_STYLES = ("FORCE_COLOR", "TTY_COMPATIBLE")  # ask for the styles of a terminal in a pipe, too
# Where a line may end: nowhere; after a space; or within a name (a number contains no such place).
_WHOLE, _WORDS = re.compile(r"(?!)"), re.compile(r"(?<= )")
_NAMES = re.compile(r"(?<= )|(?<=\w[._/-])(?=[A-Za-z]{3})")
# Blanks between columns, and where heads, texts and numbers may be wrapped, from coarse to fine.
# The first step that fits is taken. In a pipe, names stay whole so that they can be searched for.
_Step: TypeAlias = tuple[int, re.Pattern[str], re.Pattern[str], re.Pattern[str]]
_PIPE: tuple[_Step, ...] = ((3, _WORDS, _WHOLE, _WHOLE), (3, _WORDS, _WORDS, _WHOLE))
_TERMINAL: tuple[_Step, ...] = (
    (3, _NAMES, _WHOLE, _WHOLE), (2, _NAMES, _WHOLE, _WHOLE),
    (2, _NAMES, _WORDS, _WHOLE), (2, _NAMES, _NAMES, _WORDS),
)  # fmt: skip


@dataclass(slots=True)
class Column:
    """One column."""

    name: str
    justify: Literal["left", "right"]
    no_wrap: bool = False  # its cells stay on one line even where others are wrapped


@dataclass(slots=True)
class Table:
    """A table of texts."""

    title: str
    columns: list[Column]
    show_header: bool = True
    rows: list[tuple[str, ...]] = field(default_factory=list)
    ends: set[int] = field(default_factory=set)

    def add_row(self, *cells: str | int | None, end_section: bool = False) -> None:
        """Add a row; omitted and None cells are empty, 1000 is printed as ``1,000``."""
        left_out = (None,) * (len(self.columns) - len(cells))
        self.rows.append(tuple(_format_cell(cell) for cell in (*cells, *left_out)))
        if end_section:
            self.add_section()

    def add_section(self) -> None:
        """Leave an empty line after the rows added so far."""
        self.ends.add(len(self.rows))

    def lines(
        self, room: int = _PIPE_WIDTH, size: Callable[[str], int] = len, *, terminal: bool = False
    ) -> Iterator[tuple[str, bool]]:
        """Yield the lines of the table as text, each with whether it is a title or heading.

        ``room`` is the width in columns, ``size`` returns the width of a text. A line is longer
        than ``room`` only if a number or a word of the table does not fit.
        """
        layout = self._layout(room, size, _TERMINAL if terminal else _PIPE)
        count = len(self.columns)
        if terminal and layout.whole > room and count > 1 + (keys := self._keys()):
            middle = (keys + count + 1) // 2
            for title, places in (self.title, range(keys, middle)), ("", range(middle, count)):
                part = self._part(title, [*range(keys), *places])
                yield from part.lines(room, size, terminal=True)
            return
        end = layout.whole if layout.whole <= room else 0  # blanks would run over too
        for line, bold in self._laid_out(layout, size):
            yield line.rstrip() + " " * (end - size(line.rstrip())), bold

    def _laid_out(
        self, layout: "_Layout", size: Callable[[str], int]
    ) -> Iterator[tuple[str, bool]]:
        names = tuple(each.name for each in self.columns)
        shown = [names, *self.rows] if self.show_header else self.rows
        if self.title:
            for line in _wrap(self.title, layout.whole, _WORDS, size):
                yield line, True
        yield "", False
        for number, cells in enumerate(shown, not self.show_header):
            wrapped = [
                _wrap(cell, width, each[min(number, 1)], size)
                for cell, width, each in zip(cells, layout.widths, layout.breaks, strict=True)
            ]
            for parts in zip_longest(*wrapped, fillvalue=""):
                padded = []
                for column, part, width in zip(self.columns, parts, layout.widths, strict=True):
                    free = " " * (width - size(part))
                    padded.append(part + free if column.justify == "left" else free + part)
                yield f"  {(' ' * layout.gap).join(padded)}", number == 0
            if number == 0:
                yield f" {'─' * (layout.whole - 2)}", False
            elif number in self.ends and number < len(self.rows):
                yield "", False
        yield "", False

    def _keys(self) -> int:
        """Return how many leading columns identify a row; if none do, how many hold text."""
        kinds = [each.justify for each in self.columns]
        texts = kinds.index("right") if "right" in kinds else 1
        unique = (
            n for n in range(1, texts) if len({row[:n] for row in self.rows}) == len(self.rows)
        )
        return next(unique, max(texts, 1))

    def _part(self, title: str, places: Sequence[int]) -> "Table":
        """Return the table of the columns at ``places``."""
        rows = [tuple(row[at] for at in places) for row in self.rows]
        return replace(self, title=title, columns=[self.columns[at] for at in places], rows=rows)

    def _layout(self, room: int, size: Callable[[str], int], steps: tuple[_Step, ...]) -> "_Layout":
        """Return the layout of the first step that fits into ``room``, else of the last."""
        texts = [
            (each.name if self.show_header else "", *(row[at] for row in self.rows))
            for at, each in enumerate(self.columns)
        ]
        for gap, head, text, number in steps:
            breaks = [
                (head, _WHOLE if each.no_wrap else text if each.justify == "left" else number)
                for each in self.columns
            ]
            least = [
                max(size(line) for at, cell in enumerate(cells)
                    for line in _wrap(cell, 0, each[min(at, 1)], size))
                for cells, each in zip(texts, breaks, strict=True)
            ]  # fmt: skip
            free = room - gap * (len(least) - 1) - 4
            if sum(least) <= free:
                break
        widths = [max(size(line) for cell in cells for line in cell.split("\n")) for cells in texts]
        while sum(widths) > free and widths != least:
            spare = [(width, -at) for at, width in enumerate(widths) if width > least[at]]
            widths[-max(spare)[1]] -= 1
        return _Layout(gap, widths, breaks)


class _Layout(NamedTuple):
    gap: int  # blanks between columns
    widths: list[int]
    breaks: list[tuple[re.Pattern[str], re.Pattern[str]]]  # where heads and cells are wrapped

    @property
    def whole(self) -> int:
        return sum(self.widths) + self.gap * (len(self.widths) - 1) + 4


def _format_cell(cell: str | int | None) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else f"{cell:,}"


def _wrap(text: str, width: int, breaks: re.Pattern[str], size: Callable[[str], int]) -> list[str]:
    """Split a text into lines, and longer lines into as few parts of ``width`` as possible."""
    lines = []
    for whole in text.split("\n"):
        first, *rest = breaks.split(whole) if size(whole) > width else [whole]
        lines.append(first)
        for part in rest:
            if size(lines[-1] + part.rstrip()) <= width:
                lines[-1] += part
            else:
                lines.append(part)
    return [line.rstrip() for line in lines]


class Console:
    """Standard output, for tables and lines."""

    def print(self, shown: Table | str, *, end: str = "\n") -> None:
        """Print a text, wrapped to the width, or a table, which is wrapped only if it can be."""
        terminal = sys.stdout.isatty()
        if isinstance(shown, str):
            _styled(terminal=terminal).print(shown, end=end)
        elif terminal or any(map(os.environ.get, _STYLES)):
            from rich.text import Text

            rich = _styled(terminal=terminal)
            for line, bold in shown.lines(rich.width, cell_len, terminal=terminal):
                safe = line.replace("─", "-") if rich.options.ascii_only else line
                rich.print(Text(safe, "bold" if bold else ""), soft_wrap=True)
        else:  # a pipe has no styles
            rule = "─" if (sys.stdout.encoding or "utf-8").lower().startswith("utf") else "-"
            for line, _ in shown.lines(_PIPE_WIDTH, cell_len):
                print(line.replace("─", rule))


def _styled(*, terminal: bool) -> "RichConsole":
    """Return a console of rich that raises an error if the reader closed the pipe."""
    from rich.console import Console as RichConsole

    class Writer(RichConsole):
        def on_broken_pipe(self) -> None:  # rich itself exits
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    return Writer(
        file=sys.stdout, width=None if terminal else _PIPE_WIDTH, highlight=False, markup=False
    )


def console() -> Console:
    """Return the console of the current standard output."""
    return Console()


def table(title: str, text_columns: int, *columns: str) -> Table:
    """Return a table whose first ``text_columns`` columns hold text; the others hold numbers."""
    return Table(
        title,
        [
            Column(name, "left" if place < text_columns else "right")
            for place, name in enumerate(columns)
        ],
    )
