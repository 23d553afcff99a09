"""An object in a forked process: user-defined C that crashes or hangs there ends only that process.

The process is forked because a new interpreter takes 25 times as long to start, and because memory
that both processes share, such as an anonymous ``mmap``, needs no name.
"""

import faulthandler
import multiprocessing
import os
import pickle
import resource
import signal
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Final, NoReturn, Self

from gnomon.base.errors import GnomonError

_MEANING: Final = {
    signal.SIGSEGV: "it read or wrote memory that it does not own",
    signal.SIGBUS: "it read or wrote memory that it does not own",
    signal.SIGILL: "it ran into a trap, or into what C leaves undefined",
    signal.SIGTRAP: "it ran into a trap, or into what C leaves undefined",
    signal.SIGFPE: "it divided by zero, or a quotient did not fit",
    signal.SIGABRT: "it stopped itself",
}


class SubprocessCrashError(GnomonError):
    """The process ended during a call; the message names the signal."""


class IsolatedObject:
    """An object that lives in a forked process.

    The process ends with this object, with this process, and when a call is interrupted (Ctrl-C).
    """

    def __init__(self, make: Callable[[], object]) -> None:
        """Start the process, which calls ``make``; the first call raises what ``make`` raises."""
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(make, theirs), daemon=True)
        with _forking():
            process.start()
        theirs.close()  # so that this end reads the end of the pipe when the process ends
        self._end = weakref.finalize(self, _end, os.getpid(), process, self._pipe)

    def __enter__(self) -> Self:
        """Return the object itself, for ``with``."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._end()

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the isolated object and return its result.

        Raises:
            SubprocessCrashError: if the process ends during this call, or ended before.
            Exception: what the method raises.
        """
        if not self._end.alive:
            raise SubprocessCrashError("its process has ended in an earlier call")
        try:
            self._pipe.send((method, arguments))
            failed, result = self._pipe.recv()
        except (EOFError, ConnectionError, pickle.UnpicklingError):
            raise SubprocessCrashError(_describe_end(self._end())) from None
        except BaseException:  # Ctrl-C: the answer may never come
            self._end()
            raise
        if failed:
            raise result
        return result


def _describe_end(code: int | None) -> str:
    if code is None or code >= 0:
        return f"its process ended with exit code {code}"
    number = signal.Signals(-code)
    return f"{number.name}: {_MEANING.get(number, 'its process was ended')}"


@contextmanager
def _forking() -> Iterator[None]:
    """Let a child start that never sees Ctrl-C, also from a worker of Dask, which is daemonic."""
    own = multiprocessing.current_process()
    daemonic = own.daemon
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # the child keeps this mask
    try:
        if daemonic:
            own.daemon = False  # a daemonic process cannot start children; this one ends with it
        with warnings.catch_warnings():
            # Python warns of locks that another thread may hold; the child takes none of them.
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        if daemonic:
            own.daemon = True
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(owner: int, process: BaseProcess, pipe: Connection) -> int | None:
    """End the process, unless this process is a fork of its owner, and return its exit code."""
    if os.getpid() != owner:
        return None
    pipe.close()  # an idle process ends when its pipe is closed
    process.join(0)
    if process.exitcode is None:
        process.kill()
    process.join()
    code = process.exitcode
    process.close()
    return code


def _serve(make: Callable[[], object], pipe: Connection) -> None:
    """Answer calls until the other end of the pipe is closed."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a handler in Python would wait for the C
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    threading.Thread(target=_follow_parent, daemon=True).start()
    target: object = None
    while True:
        try:
            method, arguments = pipe.recv()
        except EOFError:
            return
        try:
            target = make() if target is None else target
            answer = False, getattr(target, method)(*arguments)
        except Exception as error:  # noqa: BLE001 - the parent raises it
            answer = True, error
        pipe.send(answer)


def _follow_parent() -> NoReturn:
    """End this process when its parent ends, also in the middle of C that never returns."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    signal.raise_signal(signal.SIGKILL)
    raise AssertionError
