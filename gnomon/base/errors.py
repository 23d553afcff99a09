"""Errors that users cause, each with one message and an exit code; checks, which may fail."""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import NamedTuple


class GnomonError(Exception):
    """Bad input: an unusable file, option or program. Exit code 2."""

    exit_code = 2


class CheckFailed(GnomonError):  # noqa: N818 - it is a verdict, not a malfunction
    """A failed check or an exceeded budget. Exit code 1."""

    exit_code = 1


class Interrupted(GnomonError):  # noqa: N818 - it is the user's wish
    """Ctrl-C. Exit code 130, which a shell reports for a program that signal 2 ended."""

    exit_code = 130


CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters that move the cursor, color or hide text; without tab and line end."""


def visible(text: str) -> str:
    r"""Return a text with its control characters written out, such as ``\x1b``."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``", did you mean 'x'?"`` for the nearest known word, or an empty string."""
    match = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f", did you mean {match[0]!r}?" if match else ""


def allowed_hint(word: object, names: Iterable[str], what: str = "allowed") -> str:
    """Return ``(allowed: a, b, did you mean 'b'?)``, for messages about an unknown word."""
    names = list(names)
    return f"({what}: {', '.join(names)}{did_you_mean(str(word), names)})"


def require_known(what: str, name: str, names: Iterable[str]) -> str:
    """Return a name if it is one of the allowed names.

    Args:
        what: kind of thing, such as ``size``.
        name: as the user gave it.
        names: the allowed names.

    Raises:
        GnomonError: if it is not allowed; the message lists the names and the nearest one.
    """
    allowed = list(names)
    if name not in allowed:
        raise GnomonError(f"there is no {what} {name!r} {allowed_hint(name, allowed)}")
    return name


class Check(NamedTuple):
    """A named property that is checked, such as one check of the contract of learners.

    ``run`` raises :class:`CheckFailed` if the property does not hold.
    """

    of: str  # what is checked, such as `ares/standard`
    name: str  # of the property
    run: Callable[[], object]
    waived: str = ""  # why it need not hold; empty where it must


def expect(holds: object, otherwise: str) -> None:
    """Require a condition of a check.

    Raises:
        CheckFailed: if it does not hold, with the message ``otherwise``.
    """
    if not holds:
        raise CheckFailed(otherwise)
