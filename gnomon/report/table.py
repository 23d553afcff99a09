"""Table of a page: values with their sources, as Markdown, HTML and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

MINUS = "\N{MINUS SIGN}"
_SHORT = 28
"""Most letters of a cell without a line break."""
LATEX_PAGE = 45
"""Most rows of a LaTeX table on one page."""
LATEX_LETTERS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--", MINUS: "$-$", "µ": r"$\mu$",
    "\N{MULTIPLICATION SIGN}": r"$\times$", "≤": r"$\le$", "ᵀ": r"$^T$", "³": r"$^3$", "²": r"$^2$",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """Text, number or link of a page."""

    text: str  # displayed text
    source: str = ""  # `file:line:column` of the CSV cell it shows, as `gnomon explain` takes it
    how: str = ""  # computation from such cells, if it is not the value of a cell
    link: str = ""  # target of the link
    detail: str = ""  # additional text, shown on demand
    is_new: bool = False  # whether it was measured in the run that creates the page
    order: float | None = None  # sort key of a table; None for the text

    def __html__(self) -> str:
        """Return the value as HTML; templates call this method."""
        shown = escape(self.text)
        if self.link:
            return f'<a href="{escape(self.link)}"{_title(self.detail)}>{shown}</a>'
        classes = ["v"] + ["new"] * self.is_new
        if self.source:
            source = escape(self.source)
            origin = f' data-source="{source}"'
        elif self.how:
            origin = f' data-how="{escape(self.how)}"'
        elif self.detail:
            return f"<span{_title(self.detail)}>{shown}</span>"
        else:
            return shown
        return f'<span class="{" ".join(classes)}"{origin}>{shown}</span>'

    def __str__(self) -> str:
        return self.text

    @property
    def key(self) -> float | None:
        """Sort key ``order`` unless the text is a number, by which a page sorts."""
        try:
            float(self.text.replace(",", "").replace(MINUS, "-"))
        except ValueError:
            return self.order
        return None


def _title(detail: str) -> str:
    return f' title="{escape(detail)}"' if detail else ""


NOTHING = Value("\N{EN DASH}")
"""Mark for an absent value."""


def format_number(
    value: str | float | None,
    form: str = "",
    *,
    source: str = "",
    how: str = "",
    is_new: bool = False,
) -> Value:
    """Return a number, or the text of a CSV cell, in a format of :func:`format`, such as ``,.0f``.

    Text that is not a number is shown unchanged; empty or None shows a dash. Other arguments are
    those of :class:`Value`.
    """
    if value is None or value == "":
        return NOTHING
    try:
        known = float(value)
    except ValueError:
        return Value(str(value), source, how, is_new=is_new)
    text = format(known, form) if form else str(value)
    return Value(text.replace("-", MINUS), source, how, is_new=is_new, order=known)


@dataclass(frozen=True, slots=True)
class PageColumn:
    """Column of a page table."""

    label: str  # its head
    group: str = ""  # the head above it; neighbors of one group share it
    is_number: bool = False  # whether it is right-aligned
    is_filter: bool = False  # whether readers may filter by its values
    in_print: bool = True  # whether LaTeX tables include it
    # function of a row of results, for :meth:`PageTable.from_results`
    shows: Callable[[Any], Value] = lambda _: NOTHING


@dataclass(frozen=True, slots=True)
class PageTable:
    """Rows of values under columns."""

    name: str  # id on the page and name of the LaTeX file
    caption: str  # title, with units
    columns: tuple[PageColumn, ...]  # from left to right
    rows: tuple[tuple[Value, ...], ...]  # one value for each column

    @classmethod
    def from_results(
        cls, name: str, caption: str, columns: Sequence[PageColumn], results: Iterable[object]
    ) -> PageTable:
        """Return a table of results: each column selects its value from a result."""
        rows = tuple(tuple(column.shows(each) for column in columns) for each in results)
        return cls(name, caption, tuple(columns), rows)

    @classmethod
    def from_cells(
        cls,
        name: str,
        caption: str,
        heads: Sequence[str],
        rows: Iterable[Sequence[str | Value]],
        *,
        words: int = 1,
    ) -> PageTable:
        """Return a table of the given cells; the first ``words`` columns hold text."""
        columns = tuple(PageColumn(head, is_number=at >= words) for at, head in enumerate(heads))
        cells = ((Value(each) if isinstance(each, str) else each for each in row) for row in rows)
        return cls(name, caption, columns, tuple(map(tuple, cells)))

    def __post_init__(self) -> None:
        for row in self.rows:
            assert len(row) == len(self.columns), (self.name, [str(value) for value in row])

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Heads above the columns with the numbers of columns; empty if no column has one."""
        if not any(column.group for column in self.columns):
            return ()
        return tuple(
            (name, len(tuple(columns)))
            for name, columns in groupby(self.columns, lambda column: column.group)
        )

    @property
    def filters(self) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
        """Position, head and values of the columns that readers may filter by."""
        return tuple(
            (at, column.label, tuple(dict.fromkeys(str(row[at]) for row in self.rows)))
            for at, column in enumerate(self.columns)
            if column.is_filter
        )

    def kind(self, at: int) -> str:
        """Return the kind of a column: ``n`` number, ``t`` short text, ``long`` text that wraps."""
        if self.columns[at].is_number:
            return "n"
        return "long" if any(len(str(row[at])) > _SHORT for row in self.rows) else "t"

    def latex(self) -> str:
        """Return the table as LaTeX with booktabs rules; a ``longtable`` if over a page long."""
        kept = [at for at, column in enumerate(self.columns) if column.in_print]
        columns = [self.columns[at] for at in kept]
        layout = "".join("r" if column.is_number else "l" for column in columns)
        head = []
        if self.groups:
            cells, rules, at = [], [], 1
            for name, of_one in groupby(columns, lambda column: column.group):
                span = len(tuple(of_one))
                if name:
                    cells.append(rf"\multicolumn{{{span}}}{{c}}{{{latex_text(name)}}}")
                    rules.append(rf"\cmidrule(lr){{{at}-{at + span - 1}}}")
                else:
                    cells += [""] * span
                at += span
            head += [" & ".join(cells) + r" \\", "".join(rules)]
        head.append(" & ".join(latex_text(column.label) for column in columns) + r" \\")
        rows = [" & ".join(latex_text(str(row[at])) for at in kept) + r" \\" for row in self.rows]
        caption = rf"\caption{{{latex_text(self.caption)}}}\label{{tab:{self.name}}}"
        note = "% Needs \\usepackage{booktabs"
        if len(rows) <= LATEX_PAGE:
            lines = [
                f"{note}}}", r"\begin{table}", r"\centering", caption,
                rf"\begin{{tabular}}{{{layout}}}", r"\toprule", *head, r"\midrule", *rows,
                r"\bottomrule", r"\end{tabular}", r"\end{table}",
            ]  # fmt: skip
        else:
            lines = [
                f"{note},longtable}}", rf"\begin{{longtable}}{{{layout}}}", caption + r" \\",
                r"\toprule", *head, r"\midrule", r"\endfirsthead", r"\toprule", *head, r"\midrule",
                r"\endhead", *rows, r"\bottomrule", r"\end{longtable}",
            ]  # fmt: skip
        return "\n".join([*lines, ""])


def latex_text(text: str) -> str:
    """Return text with LaTeX special characters escaped."""
    return "".join(LATEX_LETTERS.get(letter, letter) for letter in text)
