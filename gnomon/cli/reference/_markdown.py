"""Tables and headings of the reference pages."""

from collections.abc import Iterable, Sequence

MADE = "<!-- Made by `make reference` from the code; edits here are lost. -->"


def page(title: str, *parts: str) -> str:
    """A page: its title, and parts with an empty line between."""
    return "\n\n".join([MADE, f"# {title}", *(part.rstrip("\n") for part in parts)]) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar in a cell is escaped."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def code(text: str) -> str:
    """Text as code; nothing stays nothing."""
    return f"`{text}`" if text else ""
