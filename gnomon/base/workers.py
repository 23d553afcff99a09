"""Processes that call one function again and again, with arguments from this process.

Each has its own pipe. The processes of ``concurrent.futures`` share one for their results: if one
of them is killed while it writes, the pool waits forever for the rest.
"""

import multiprocessing
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from typing import Any, Final, NoReturn, cast

from gnomon.base.errors import GnomonError
from gnomon.base.interrupt import delay_interrupts

_CTRL_C: Final = {signal.SIGINT}


class WorkerDied(GnomonError):  # noqa: N818 - an event, which the owner of a worker handles
    """The process ended: it was killed, or the host has too little memory."""


class Worker:
    """A process that calls a function; it ignores Ctrl-C.

    It ends with :meth:`end` and with this process, even if this process is killed.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Start the process."""
        self.ready = False  # whether its first message arrived
        self.pending = deque[Any]()  # tags of calls without a result, the oldest first
        # Not forked: a copy of a process with running threads may hang.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(function, theirs), daemon=True)
        with delay_interrupts():
            resource_tracker.ensure_running()  # its start would unblock Ctrl-C
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _CTRL_C)  # a process inherits this
            try:
                self._process.start()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()  # so that this end notices the end of the process

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid or 0

    def call(self, tag: object, *arguments: Any) -> None:
        """Request a call; :meth:`receive` returns the tag with the result."""
        self.pending.append(tag)
        try:
            self.pipe.send(arguments)
        except OSError:
            return  # the process ended, which `receive` reports

    def receive(self) -> tuple[Any, Any] | None:
        """Wait for the next message: tag and result of a call; None: the process is ready.

        Raises:
            WorkerDied: if the process ended. ``pending`` has its calls; it was in the first.
            Exception: what the function raises.
        """
        try:
            failed, result = self.pipe.recv()
        except (EOFError, OSError):
            raise WorkerDied(f"worker process {self.pid} ended") from None
        if not self.ready:
            self.ready = True
            return None
        tag = self.pending.popleft()
        if failed:
            raise result
        return tag, result

    def end(self) -> None:
        """End the process, even in the middle of a call."""
        with delay_interrupts():
            self._process.kill()
            self._process.join()
            self.pipe.close()


def wait_for_messages(workers: Iterable[Worker]) -> list[Worker]:
    """Wait for messages, and return the workers that have one or ended."""
    by_pipe = {worker.pipe: worker for worker in workers}
    return [by_pipe[cast("Connection", pipe)] for pipe in wait(list(by_pipe))]


def _serve(function: Callable[..., Any], pipe: Connection) -> NoReturn:
    """Answer calls; end when the other end of the pipe is closed, even in the middle of a call."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    calls = SimpleQueue[tuple[Any, ...]]()

    def receive() -> None:
        try:
            while True:
                calls.put(pipe.recv())
        except (EOFError, OSError):
            pass
        except BaseException:  # noqa: BLE001 - arguments that this process cannot read
            traceback.print_exc()
        signal.raise_signal(signal.SIGKILL)

    threading.Thread(target=receive, daemon=True).start()
    pipe.send((False, None))
    while True:
        arguments = calls.get()
        try:
            answer = False, function(*arguments)
        except Exception as error:  # noqa: BLE001 - the other process raises it
            error.add_note(f"in a worker process:\n{traceback.format_exc()}")
            answer = True, error
        pipe.send(answer)
