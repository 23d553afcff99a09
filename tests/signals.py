"""Signals of programs that a test starts, and their end."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
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


@contextmanager
def killed_after(process: subprocess.Popen[Any], seconds: float) -> Iterator[None]:
    """Kill a program after a time, and at the end of the block: nothing waits for it for ever."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        process.kill()
