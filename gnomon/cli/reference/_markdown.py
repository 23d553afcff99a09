"""Tables and headings of the reference pages."""

from collections.abc import Iterable, Sequence

MADE = "<!-- Made by `make reference` from the code; edits here are lost. -->"


def page(title: str, *parts: str) -> str:
    """Return a page: its title and its parts, separated by empty lines."""
    return "\n\n".join([MADE, f"# {title}", *(part.rstrip("\n") for part in parts)]) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars in cells are escaped."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def code(text: str) -> str:
    """Return text formatted as code; an empty text stays empty."""
    return f"`{text}`" if text else ""
