"""Ctrl-C and SIGTERM, noted: a library may turn KeyboardInterrupt into an error of its own."""

import os
import signal
from types import FrameType

_seen: list[int] = []


def listen() -> None:
    """Note Ctrl-C and SIGTERM from now on; both raise KeyboardInterrupt, or are ignored as before.

    Processes that are forked from this one end by SIGTERM as usual.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _note)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _note)
        os.register_at_fork(after_in_child=_restore_sigterm)


def interrupted(error: BaseException) -> bool:
    """Return whether an error results from Ctrl-C or SIGTERM."""
    return isinstance(error, KeyboardInterrupt) or bool(_seen)


def exit_code() -> int:
    """Return the exit code of a program that the noted signal ended: 130 for Ctrl-C."""
    return 128 + (_seen[-1] if _seen else signal.SIGINT)


def _note(number: int, frame: FrameType | None) -> None:
    _seen.append(number)
    signal.default_int_handler(number, frame)


def _restore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
