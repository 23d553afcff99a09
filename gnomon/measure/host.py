"""Errors of C kernels and learners on the host, with file and line of the function."""

import re
from collections.abc import Iterable
from pathlib import Path

from gnomon.base.errors import CheckFailed
from gnomon.base.isolation import SubprocessCrashError
from gnomon.base.tables import shown_path


def function_error(title: str, function: str, sources: Iterable[Path], what: str) -> CheckFailed:
    """Return the error of a function, beginning with the ``file:line`` of its definition."""
    place = _place_of(function, sources)
    return CheckFailed(f"{f'{place}: ' if place else ''}{title}: {function} {what}")


def crash_error(
    title: str, function: str, sources: Iterable[Path], how: SubprocessCrashError
) -> CheckFailed:
    """Return the error of a function that ended its process."""
    return function_error(title, function, sources, f"crashed on the host, {how}")


def _place_of(function: str, sources: Iterable[Path]) -> str:
    """Return ``file:line`` of the definition of a C function; an empty text if there is none."""
    defined = re.compile(rf"^\w[^;{{}}()#]*\b{function}\s*\([^;{{}}]*\)\s*\{{", re.MULTILINE)
    for source in sources:
        text = source.read_text(encoding="utf-8", errors="replace")
        match = defined.search(text)
        if match is not None:
            line = text.count("\n", 0, text.index(function, match.start())) + 1
            return f"{shown_path(source)}:{line}"
    return ""
