"""What reads a file of keys: every problem is noted at its line, none ends the reading."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gnomon.base.errors import did_you_mean
from gnomon.base.yaml import Origin, Problem, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(slots=True)
class Checker:
    """Collects the problems of a file of keys while it is read.

    Attributes:
        raw: its values.
        origins: where each was written, by path.
        where: its name.
        problems: found so far.
    """

    raw: Mapping[str, Any]
    origins: Mapping[tuple[str | int, ...], Origin]
    where: str
    problems: list[Problem] = field(default_factory=list)

    def at(self, *path: str | int) -> Origin:
        """Where a value was written, or the nearest above it."""
        while path and path not in self.origins:
            path = path[:-1]
        return self.origins.get(path, Origin(self.where))

    def wrong(self, message: str, *path: str | int) -> None:
        """Note a problem."""
        dotted = ".".join(str(part) for part in path if not isinstance(part, int))
        self.problems.append(Problem(self.at(*path), dotted, message))

    def keys(self, values: Mapping[str, Any], known: Sequence[str], *path: str) -> None:
        """Note unknown keys."""
        for name in values:
            if name not in known:
                near = did_you_mean(name, known)
                self.wrong(f"unknown key (allowed: {', '.join(known)}{near})", *path, name)

    def section(self, name: str) -> Mapping[str, Any]:
        """A section of the file, empty if it is not there or not one."""
        value = self.raw.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.wrong(f"must be a section with keys of its own, not {shown(value)}", name)
            return {}
        return value

    def items(self, name: str) -> Sequence[Any]:
        """A list of the file; a single value counts as one."""
        value = self.raw.get(name)
        if value is None:
            return []
        if isinstance(value, dict):
            self.wrong("must be a list, not a section", name)
            return []
        return value if isinstance(value, list) else [value]
