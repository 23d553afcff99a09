"""A table of values, for HTML and LaTeX alike."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.report.html._value import Value


_SHORT = 28
"""Letters that a cell may have without a line break."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        label: its head.
        group: the head above it; neighbours of one group share it.
        is_number: whether it is aligned to the right.
        is_filter: whether readers may choose among its values.
        in_print: whether it is in LaTeX tables, too.
    """

    label: str
    group: str = ""
    is_number: bool = False
    is_filter: bool = False
    in_print: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values under columns.

    Attributes:
        name: id on the page and name of the LaTeX file.
        caption: what it shows, with units.
        columns: from left to right.
        rows: one value for each column.
    """

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            assert len(row) == len(self.columns), (self.name, [str(value) for value in row])

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Heads above the columns with how many each spans; empty if no column has one."""
        if not any(column.group for column in self.columns):
            return ()
        return tuple(
            (name, len(tuple(columns)))
            for name, columns in groupby(self.columns, lambda column: column.group)
        )

    @property
    def filters(self) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
        """Position, head and values of the columns that readers may choose by."""
        return tuple(
            (at, column.label, tuple(dict.fromkeys(str(row[at]) for row in self.rows)))
            for at, column in enumerate(self.columns)
            if column.is_filter
        )

    def kind(self, at: int) -> str:
        """How a column is set: ``n`` number, ``t`` short text, ``long`` text that wraps."""
        if self.columns[at].is_number:
            return "n"
        return "long" if any(len(str(row[at])) > _SHORT for row in self.rows) else "t"

    @property
    def has_new(self) -> bool:
        """Whether a value was measured in the run that makes the page."""
        return any(value.is_new for row in self.rows for value in row)
