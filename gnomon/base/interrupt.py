"""Ctrl-C and SIGTERM, noted: a library may turn KeyboardInterrupt into an error of its own.

Python handles a signal only after a call of C has returned. A call that may not return is made in
another thread, for which the main thread waits.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Thread, current_thread, main_thread
from types import FrameType
from typing import Final

_PATIENCE_S: Final = 0.3
"""Time that a call of C gets to return after a signal."""
_LOOK_S: Final = 0.1
"""Time between two checks for a signal: one that arrives just before a wait does not end it."""

_seen: list[int] = []
_reasons: list[str] = []  # why calls of C did not return


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


def describe() -> str:
    """Return the message about a noted signal."""
    return "; ".join(["interrupted", *_reasons[-1:]])


@contextmanager
def delay_interrupts() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the end of a short block that must be complete."""
    if current_thread() is not main_thread():
        yield  # Python interrupts the main thread alone
        return
    delayed = list[int]()
    handlers = {
        number: signal.signal(number, lambda number, _: delayed.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if delayed:
        signal.raise_signal(delayed[0])


class _Worker:
    """A thread that makes calls one after another; it ends with the process."""

    def __init__(self) -> None:
        self.calls: SimpleQueue[Callable[[], int]] = SimpleQueue()
        self.results: SimpleQueue[int] = SimpleQueue()
        self.busy = False
        Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while True:
            result = self.calls.get()()
            self.busy = False
            self.results.put(result)

    def start(self, call: Callable[[], int]) -> None:
        """Start a call."""
        self.busy = True
        self.calls.put(call)

    def wait(self) -> int:
        """Wait for the result of a call; a signal raises KeyboardInterrupt."""
        while True:
            with suppress(Empty):
                return self.results.get(timeout=_LOOK_S)


_free: list[_Worker] = []
os.register_at_fork(after_in_child=_free.clear)  # a child has no threads


def call_c(call: Callable[[], int], explain: Callable[[], str]) -> int:
    """Return the result of a call of C that Ctrl-C and SIGTERM end although it does not return.

    Args:
        call: the call; it raises nothing.
        explain: returns what the message states besides the interruption.

    Raises:
        KeyboardInterrupt: after a signal. If the call does not return soon after it, it continues
            in its thread, and :func:`describe` has the explanation.
    """
    worker = _free.pop() if _free else _Worker()
    worker.start(call)
    try:
        result = worker.wait()
    except KeyboardInterrupt:
        if worker.busy:
            with suppress(Empty):
                worker.results.get(timeout=_PATIENCE_S)
        if worker.busy:
            _reasons.append(explain())
        raise
    _free.append(worker)
    return result


def _note(number: int, frame: FrameType | None) -> None:
    _seen.append(number)
    signal.default_int_handler(number, frame)


def _restore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
