"""C of kernels and learners on this computer: where what ends its process is, in which file."""

import re
from collections.abc import Iterable
from pathlib import Path

from gnomon.base.errors import CheckFailed
from gnomon.base.isolation import SubprocessCrashError
from gnomon.base.tables import shown_path


def failed(title: str, function: str, sources: Iterable[Path], what: str) -> CheckFailed:
    """What to say of a function that did wrong, ``file:line`` of the function first."""
    place = _place_of(function, sources)
    return CheckFailed(f"{f'{place}: ' if place else ''}{title}: {function} {what}")


def crashed(
    title: str, function: str, sources: Iterable[Path], how: SubprocessCrashError
) -> CheckFailed:
    """What to say of a function that ended its process."""
    return failed(title, function, sources, f"crashed on this computer, {how}")


def _place_of(function: str, sources: Iterable[Path]) -> str:
    """``file:line`` where a function of C is defined; nothing where none of the files does."""
    defined = re.compile(rf"^\w[^;{{}}()#]*\b{function}\s*\([^;{{}}]*\)\s*\{{", re.MULTILINE)
    for source in sources:
        text = source.read_text(encoding="utf-8", errors="replace")
        match = defined.search(text)
        if match is not None:
            line = text.count("\n", 0, text.index(function, match.start())) + 1
            return f"{shown_path(source)}:{line}"
    return ""
