"""A table as LaTeX, with the rules of the package booktabs."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.report.html._table import Table

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\N{EN DASH}": "--", "\N{MINUS SIGN}": "$-$", "µ": r"$\mu$",
    "\N{MULTIPLICATION SIGN}": r"$\times$", "≤": r"$\le$", "ᵀ": r"$^T$", "³": r"$^3$", "²": r"$^2$",
}  # fmt: skip
_LONG = 45


def latex_text(text: str) -> str:
    """Text with what LaTeX reads as a command made harmless."""
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def latex_table(table: Table) -> str:
    """A ``table`` with ``tabular``, or a ``longtable`` where it is longer than a page."""
    kept = [at for at, column in enumerate(table.columns) if column.in_print]
    columns = [table.columns[at] for at in kept]
    layout = "".join("r" if column.is_number else "l" for column in columns)
    head = []
    if table.groups:
        cells, lines, at = [], [], 1
        for name, of_one in groupby(columns, lambda column: column.group):
            span = len(tuple(of_one))
            cells.append(rf"\multicolumn{{{span}}}{{c}}{{{latex_text(name)}}}" if name else "")
            if not name:
                cells += [""] * (span - 1)
            else:
                lines.append(rf"\cmidrule(lr){{{at}-{at + span - 1}}}")
            at += span
        head += [" & ".join(cells) + r" \\", "".join(lines)]
    head.append(" & ".join(latex_text(column.label) for column in columns) + r" \\")
    rows = [" & ".join(latex_text(str(row[at])) for at in kept) + r" \\" for row in table.rows]
    caption = rf"\caption{{{latex_text(table.caption)}}}\label{{tab:{table.name}}}"
    note = "% Needs \\usepackage{booktabs"
    if len(rows) <= _LONG:
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
