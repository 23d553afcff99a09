"""The errors a user can cause. Each carries one complete message and the process exit code."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class GnomonError(Exception):
    """Bad input: a file, a flag or a program that cannot be used. Exit code 2."""

    exit_code = 2


class CheckFailed(GnomonError):  # noqa: N818 - it is a verdict, not a malfunction
    """A check or a budget says no. Exit code 1."""

    exit_code = 1


class Interrupted(GnomonError):  # noqa: N818 - it is the user's wish
    """Ctrl-C. Exit code 130, which a shell reports of a program that a signal 2 ended."""

    exit_code = 130


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``", did you mean 'x'?"`` for the nearest known word, or an empty string."""
    match = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f", did you mean {match[0]!r}?" if match else ""


def known(what: str, name: str, names: Iterable[str]) -> str:
    """A name that must be one of some.

    Args:
        what: kind of thing, such as ``size``.
        name: as the user gave it.
        names: those there are.

    Raises:
        GnomonError: it is none of them; says which there are, and the nearest one.
    """
    allowed = list(names)
    if name not in allowed:
        raise GnomonError(
            f"there is no {what} {name!r} (allowed: {', '.join(allowed)}"
            f"{did_you_mean(name, allowed)})"
        )
    return name
