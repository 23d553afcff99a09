"""What a program says that is not made for a size: a refusal, and no failure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gnomon.base.errors import CheckFailed

if TYPE_CHECKING:
    from gnomon.base.errors import GnomonError

_ERROR = re.compile(r"^.+?:\d+:\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_STATED = re.compile(r"""static assertion failed(?: due to requirement '.*')?: (.+)|"(.+)\"""")


def refusal_of(error: GnomonError) -> str:
    """The reason on one line.

    Sources refuse sizes by static assertions and ``#error``; their messages are the reason. Any
    other message of a compiler is a defect.

    Raises:
        GnomonError: the error itself, if it is no refusal.
    """
    text = str(error)
    if isinstance(error, CheckFailed):
        raise error
    if "\n" not in text:
        return text
    reasons = []
    for message in _ERROR.findall(text):
        stated = _STATED.fullmatch(message)
        if stated is None:
            raise error
        reasons.append(stated.group(1) or stated.group(2))
    if not reasons:
        raise error
    return "; ".join(dict.fromkeys(reasons))
