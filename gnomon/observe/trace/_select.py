"""Which instances a user means by ``--scope``."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.observe.trace._activity import path_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_NAMES = 8

Scope = tuple[str, ...]


class ScopeFilter:
    """A path of patterns; it selects an instance and everything below it.

    Each part between slashes is a name, or a pattern with ``*`` and ``?`` for one name.
    """

    def __init__(self, pattern: str | None) -> None:
        self.pattern = pattern
        self._parts = [] if pattern is None else pattern.strip("/").split("/")

    def __contains__(self, scope: Scope) -> bool:
        if len(scope) < len(self._parts):
            return False
        # A literal name first: the brackets of generated instances are no pattern then.
        return all(
            name == part or fnmatchcase(name, part)
            for name, part in zip(scope, self._parts, strict=False)
        )

    def refuse(self, file: str, scopes: Iterable[Scope]) -> GnomonError:
        """The error for a pattern that selects nothing."""
        paths = list(dict.fromkeys(path_of(scope) for scope in scopes if scope))
        shown = ", ".join(paths[:_MOST_NAMES])
        more = f" and {len(paths) - _MOST_NAMES} more" if len(paths) > _MOST_NAMES else ""
        nearest = did_you_mean(self.pattern or "", paths)
        return GnomonError(
            f"{file}: no instance with nets matches --scope {self.pattern!r}; the file has: "
            f"{shown or 'none'}{more}{nearest}"
        )
