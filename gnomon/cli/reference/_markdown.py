"""Tables and headings of the reference pages."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from gnomon.base.keys import own_keys

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


def keys_table(section: type[BaseModel]) -> str:
    """Return a table of the keys of one section of a file."""
    rows = [
        (code(key.path), "required" if key.required else code(_written(key.default)),
         key.allowed, key.meaning)
        for key in own_keys(section)
    ]  # fmt: skip
    return table(("key", "default", "allowed", "meaning"), rows)


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value in (None, {}, "", ()) else str(value)
