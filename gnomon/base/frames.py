"""Result tables: the DataFrame of pandas, one CSV writer, one Markdown writer."""

from __future__ import annotations

import lzma
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def frame(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return a table of values as they are: no column is converted, None stays None."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(columns), dtype=object)


def typed(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """Return a table to compute with: columns of numbers have a numeric type, NaN if unknown."""
    return frame(columns, rows).infer_objects()


def worded(table: pd.DataFrame, forms: Mapping[str, str], *, missing: str = "") -> pd.DataFrame:
    """Return a table with some columns as text, each in its format of :func:`format`.

    Cells without a value (None, NaN) become ``missing``.
    """
    texts = {
        name: [missing if value is None or value != value else format(value, form)  # noqa: PLR0124
               for value in table[name]]
        for name, form in forms.items()
    }  # fmt: skip
    return table.assign(**texts)


def rows_of(table: pd.DataFrame) -> list[Any]:
    """Return the rows, with the columns and ``Index`` as attributes."""
    return list(table.itertuples())


def across(table: pd.DataFrame, down: str, to_right: str, shown: str) -> pd.DataFrame:
    """Return a row per value of ``down`` and a column per value of ``to_right``, in their order.

    A cell holds the column ``shown``; it is empty if the table has no such row.
    """
    cells = table.pivot_table(shown, down, to_right, aggfunc="first", sort=False)
    return cells.fillna("").rename_axis(columns=None).reset_index()


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV, with LF line ends; None is an empty cell."""
    return str(table.to_csv(index=False, lineterminator="\n"))


def packed_csv(table: pd.DataFrame) -> bytes:
    """Return a table as CSV, compressed by xz: the content of a ``.csv.xz`` file."""
    return lzma.compress(csv_text(table).encode())


def markdown(table: pd.DataFrame, right: Iterable[str] = ()) -> str:
    """Return a table as Markdown; the columns named in ``right`` are numbers."""
    numbers = set(right)
    lines = [
        f"| {' | '.join(map(str, table.columns))} |",
        f"|{'|'.join('---:' if name in numbers else '---' for name in table.columns)}|",
    ]
    values: Iterable[Sequence[Any]] = table.itertuples(index=False, name=None)
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in values)])


class Framed(ABC):
    """A result that is a table: ``frame()`` for pandas; notebooks show it automatically."""

    __slots__ = ()

    def caption(self) -> str:
        """Return one line about the content of the table."""
        return type(self).__name__

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the result as a table, units in the column names."""

    def _repr_html_(self) -> str:
        shown = self.frame().to_html(index=False, border=0, na_rep="", max_rows=40)
        return f"<p>{escape(self.caption())}</p>\n{shown}"


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Return a human-readable table of texts: no empty columns, no ``_`` in column names."""
    kept = [name for name in table.columns if any(table[name] != "")]
    return table[kept].rename(columns=lambda name: str(name).replace("_", " "))
