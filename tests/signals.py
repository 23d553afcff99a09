"""Signals of programs that a test starts."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def heeding_ctrl_c() -> Iterator[None]:
    """Let what is started in the block end at SIGINT.

    What a shell starts in the background ignores SIGINT, and so does what it starts in turn: a
    test that sends one would wait for ever.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
