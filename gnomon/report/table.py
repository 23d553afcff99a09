"""The table that a page shows: values with their sources, as Markdown, HTML and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Any

MINUS = "\N{MINUS SIGN}"
_SHORT = 28
"""Letters that a cell may have without a line break."""
_PAGE = 45
"""Rows that a LaTeX table may have on one page."""
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--", MINUS: "$-$", "µ": r"$\mu$",
    "\N{MULTIPLICATION SIGN}": r"$\times$", "≤": r"$\le$", "ᵀ": r"$^T$", "³": r"$^3$", "²": r"$^2$",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """One text, number or link."""

    text: str  # as shown
    source: str = ""  # `file:line:column` of the CSV cell it shows, as `gnomon explain` takes it
    how: str = ""  # how it was computed from such cells, if it is no cell itself
    link: str = ""  # where it leads
    detail: str = ""  # more words, shown on demand
    is_new: bool = False  # whether it was measured in the run that makes the page
    order: float | None = None  # what a table sorts by; the text where it is None

    def __html__(self) -> str:
        """As HTML; templates call it."""
        shown = escape(self.text)
        if self.link:
            return f'<a href="{escape(self.link)}"{_title(self.detail)}>{shown}</a>'
        classes = ["v"] + ["new"] * self.is_new
        if self.source:
            source = escape(self.source)
            told = f' data-source="{source}"'
        elif self.how:
            told = f' data-how="{escape(self.how)}"'
        elif self.detail:
            return f"<span{_title(self.detail)}>{shown}</span>"
        else:
            return shown
        return f'<span class="{" ".join(classes)}"{told}>{shown}</span>'

    def __str__(self) -> str:
        return self.text

    @property
    def key(self) -> float | None:
        """``order`` where the text does not say it: a page sorts numbers by their text."""
        try:
            float(self.text.replace(",", "").replace(MINUS, "-"))
        except ValueError:
            return self.order
        return None


def _title(detail: str) -> str:
    return f' title="{escape(detail)}"' if detail else ""


NOTHING = Value("\N{EN DASH}")
"""Where there is no value."""


def format_number(
    value: str | float | None,
    form: str = "",
    *,
    source: str = "",
    how: str = "",
    is_new: bool = False,
) -> Value:
    """A number, or the text of a CSV cell, in a format of :func:`format`, such as ``,.0f``.

    What is no number stands as it is; empty or None shows a dash; the rest as of :class:`Value`.
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
    """One column."""

    label: str  # its head
    group: str = ""  # the head above it; neighbors of one group share it
    is_number: bool = False  # whether it is aligned to the right
    is_filter: bool = False  # whether readers may choose among its values
    in_print: bool = True  # whether it is in LaTeX tables, too
    # of a row of results, for :meth:`PageTable.from_results`
    shows: Callable[[Any], Value] = lambda _: NOTHING


@dataclass(frozen=True, slots=True)
class PageTable:
    """Rows of values under columns."""

    name: str  # id on the page and name of the LaTeX file
    caption: str  # what it shows, with units
    columns: tuple[PageColumn, ...]  # from left to right
    rows: tuple[tuple[Value, ...], ...]  # one value for each column

    @classmethod
    def from_results(
        cls, name: str, caption: str, columns: Sequence[PageColumn], results: Iterable[object]
    ) -> PageTable:
        """The table of results: each column says what it shows of one."""
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
        """The table of cells as they are; the first columns, ``words`` of them, hold words."""
        columns = tuple(PageColumn(head, is_number=at >= words) for at, head in enumerate(heads))
        cells = ((Value(each) if isinstance(each, str) else each for each in row) for row in rows)
        return cls(name, caption, columns, tuple(map(tuple, cells)))

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

    def latex(self) -> str:
        """As LaTeX with the rules of booktabs; a ``longtable`` where it is over a page long."""
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
        if len(rows) <= _PAGE:
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
    """Text with what LaTeX reads as a command made harmless."""
    return "".join(_LATEX.get(letter, letter) for letter in text)
