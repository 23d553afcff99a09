"""What stands on a page, and where it is from."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Value:
    """One text, number or link.

    Attributes:
        text: as shown.
        source: ``file:line:column`` of the CSV cell it shows, as ``gnomon explain`` takes it.
        how: how it was computed from such cells, if it is no cell itself.
        link: where it leads.
        detail: more words, shown on demand.
        is_new: whether it was measured in the run that makes the page.
        order: what a table sorts by; the text where it is None.
    """

    text: str
    source: str = ""
    how: str = ""
    link: str = ""
    detail: str = ""
    is_new: bool = False
    order: float | None = None

    def __html__(self) -> str:
        """As HTML; templates call it."""
        shown = escape(self.text)
        if self.link:
            return f'<a href="{escape(self.link)}"{_title(self.detail)}>{shown}</a>'
        classes = ["v"] + ["new"] * self.is_new
        if self.source:
            source = escape(self.source)
            told = f' data-source="{source}" title="{source}"'
        elif self.how:
            told = f' data-how="{escape(self.how)}" title="{escape(self.how)}"'
        elif self.detail:
            return f"<span{_title(self.detail)}>{shown}</span>"
        else:
            return shown
        return f'<span class="{" ".join(classes)}"{told}>{shown}</span>'

    def __str__(self) -> str:
        return self.text


def _title(detail: str) -> str:
    return f' title="{escape(detail)}"' if detail else ""


NOTHING = Value("\N{EN DASH}")
"""Where there is no value."""


def number(
    value: str | float | None,
    form: str = "",
    *,
    source: str = "",
    how: str = "",
    is_new: bool = False,
) -> Value:
    """A number in a format of :func:`format`; what is no number stands as it is.

    Args:
        value: a number, or the text of a CSV cell. Empty or None shows a dash.
        form: such as ``,.0f`` or ``.3f``; empty for the text itself.
        source: see :class:`Value`.
        how: see :class:`Value`.
        is_new: see :class:`Value`.
    """
    if value is None or value == "":
        return NOTHING
    try:
        known = float(value)
    except ValueError:
        return Value(str(value), source, how, is_new=is_new)
    text = format(known, form) if form else str(value)
    return Value(text.replace("-", "\N{MINUS SIGN}"), source, how, is_new=is_new, order=known)
