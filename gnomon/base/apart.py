"""C of others in a process of its own: what it breaks there, or never ends, is not this process."""

import faulthandler
import gc
import os
import pickle
import resource
import signal
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, Self

from gnomon.base.errors import GnomonError

_LOOK_SECONDS: Final = 0.5
_MEANING: Final = {
    signal.SIGSEGV: "it read or wrote memory that is not its own",
    signal.SIGBUS: "it read or wrote memory that is not its own",
    signal.SIGILL: "it ran into a trap, or into what C leaves undefined",
    signal.SIGTRAP: "it ran into a trap, or into what C leaves undefined",
    signal.SIGFPE: "it divided by zero, or a quotient did not fit",
    signal.SIGABRT: "it stopped itself",
}


class Crashed(GnomonError):  # noqa: N818 - it is what happened
    """The process ended in the middle of a call; the message says by which signal."""


class Apart:
    """An object that lives in a process of its own, forked from this one.

    It ends with this object, with this process, and where a call is given up, as by Ctrl-C.
    """

    def __init__(self, make: Callable[[], object]) -> None:
        """Have the object made there; what goes wrong in that is raised by the first call."""
        parent = os.getpid()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until who is who
        try:
            asked, ask = os.pipe()
            told, tell = os.pipe()
            with warnings.catch_warnings():
                # Python warns of locks that another thread may hold; the child takes none of them.
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if not child:
                _serve(make, parent, asked, tell)
            os.close(asked)
            os.close(tell)
            self._ask, self._told = os.fdopen(ask, "wb"), os.fdopen(told, "rb")
            self._end = weakref.finalize(self, _end, parent, child, self._ask, self._told)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __enter__(self) -> Self:
        """For use in ``with``."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._end()

    def call(self, method: str, *arguments: Any) -> Any:
        """What a method of the object returns.

        Raises:
            Crashed: the process ended, in this call or before.
            Exception: what the method raises.
        """
        if not self._end.alive:
            raise Crashed("its process has ended in an earlier call")
        try:
            pickle.dump((method, arguments), self._ask, pickle.HIGHEST_PROTOCOL)
            self._ask.flush()
            failed, result = pickle.load(self._told)  # noqa: S301 - of our own process
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise Crashed(_meaning(self._end())) from None
        except BaseException:  # Ctrl-C: nobody will read the answer, which may never come
            self._end()
            raise
        if failed:
            raise result
        return result


def _meaning(status: int | None) -> str:
    code = 0 if status is None else os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"its process ended with exit code {code}"
    number = signal.Signals(-code)
    return f"{number.name}: {_MEANING.get(number, 'its process was ended')}"


def _end(owner: int, child: int, *files: BinaryIO) -> int | None:
    """End the process, unless this one is forked from that which owns it; how it ended."""
    if os.getpid() != owner:
        return None
    status = os.waitpid(child, os.WNOHANG)
    if status[0] != child:
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)
    for file in files:
        with suppress(OSError):  # what could not be sent
            file.close()
    return status[1]


def _serve(make: Callable[[], object], parent: int, asked: int, tell: int) -> NoReturn:
    """Answer calls until nobody is there to ask."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process decides what ends
        gc.disable()  # objects of the other process are not to be closed here
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        for each in list(Path("/dev/fd").iterdir()):  # such as locks: held as long as open here
            if int(each.name) > 2 and int(each.name) not in (asked, tell):
                with suppress(OSError):  # the list itself was open
                    os.close(int(each.name))
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
        _answer(make, os.fdopen(asked, "rb"), os.fdopen(tell, "wb"))
    finally:
        os._exit(0)


def _answer(make: Callable[[], object], asked: BinaryIO, tell: BinaryIO) -> None:
    made: object = None
    while True:
        method, arguments = pickle.load(asked)  # noqa: S301 - of our own process
        try:
            made = make() if made is None else made
            answer = False, getattr(made, method)(*arguments)
        except Exception as error:  # noqa: BLE001 - the other process raises it
            answer = True, error
        pickle.dump(answer, tell, pickle.HIGHEST_PROTOCOL)
        tell.flush()


def _watch(parent: int) -> NoReturn:
    """End when the other process is gone, also in the middle of C that never ends."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(0)
