"""Ctrl-C, noted: a library that it meets may turn KeyboardInterrupt into an error of its own."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_seen: list[int] = []


def listen() -> None:
    """Note Ctrl-C from now on; it raises KeyboardInterrupt as ever, or is ignored as before."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)


def interrupted(error: BaseException) -> bool:
    """Whether an error comes of Ctrl-C."""
    return isinstance(error, KeyboardInterrupt) or bool(_seen)


def _note(number: int, frame: FrameType | None) -> None:
    _seen.append(number)
    signal.default_int_handler(number, frame)
