"""One wrong thing in a machine file, and the error that carries all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written: a line of a file, or a ``--set`` flag (``line`` is None)."""

    where: str
    line: int | None = None

    def __str__(self) -> str:
        return self.where if self.line is None else f"{self.where}:{self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One error: where, which key (dotted, empty for the whole file), and what is wrong."""

    origin: Origin
    path: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (str(self.origin), self.path, self.message) if part)


class ArchitectureError(GnomonError):
    """A machine description that cannot be used; ``problems`` lists everything found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def shown(value: object) -> str:
    """A value as an error message quotes it: one line, not longer than a line."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a section"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
