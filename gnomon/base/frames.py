"""Tables of results: one type, the DataFrame of pandas; one CSV writer; one Markdown table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def frame(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """A table of values as they are: no column is made to one type, None stays None."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(columns), dtype=object)


def typed(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> pd.DataFrame:
    """A table to reckon with: columns of numbers are of such a type, NaN where one is unknown."""
    return frame(columns, rows).infer_objects()


def worded(table: pd.DataFrame, forms: Mapping[str, str], *, missing: str = "") -> pd.DataFrame:
    """A table with columns as text, each in its format of :func:`format`.

    Where there is no value, None or NaN, stands ``missing``.
    """
    texts = {
        name: [missing if value is None or value != value else format(value, form)  # noqa: PLR0124
               for value in table[name]]
        for name, form in forms.items()
    }  # fmt: skip
    return table.assign(**texts)


def rows_of(table: pd.DataFrame) -> list[Any]:
    """Its rows, the columns as attributes, ``Index`` besides."""
    return list(table.itertuples())


def across(table: pd.DataFrame, down: str, to_right: str, shown: str) -> pd.DataFrame:
    """A row for each ``down`` and a column for each ``to_right``, in the order they come in.

    A cell is that of the column ``shown``; empty where there is none.
    """
    cells = table.pivot_table(shown, down, to_right, aggfunc="first", sort=False)
    return cells.fillna("").rename_axis(columns=None).reset_index()


def csv_text(table: pd.DataFrame) -> str:
    """A table as CSV, with LF line ends; None is an empty cell."""
    return str(table.to_csv(index=False, lineterminator="\n"))


def markdown(table: pd.DataFrame, right: Iterable[str] = ()) -> str:
    """A table as Markdown; the columns named in ``right`` are numbers."""
    numbers = set(right)
    lines = [
        f"| {' | '.join(map(str, table.columns))} |",
        f"|{'|'.join('---:' if name in numbers else '---' for name in table.columns)}|",
    ]
    values: Iterable[Sequence[Any]] = table.itertuples(index=False, name=None)
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in values)])


class Framed(ABC):
    """A result that is a table: ``frame()`` for pandas; a notebook shows it by itself."""

    __slots__ = ()

    def caption(self) -> str:
        """What the table shows, in a line."""
        return type(self).__name__

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """The result as a table, units in the column names."""

    def _repr_html_(self) -> str:
        shown = self.frame().to_html(index=False, border=0, na_rep="", max_rows=40)
        return f"<p>{escape(self.caption())}</p>\n{shown}"


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """A table of texts for people: no columns that are empty in all rows, names without ``_``."""
    kept = [name for name in table.columns if any(table[name] != "")]
    return table[kept].rename(columns=lambda name: str(name).replace("_", " "))
