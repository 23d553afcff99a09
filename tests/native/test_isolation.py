"""An object in a forked process: its results, its errors, its crashes, and when it ends."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.isolation import IsolatedObject, SubprocessCrashError

HANG = """
import os, signal, time
from gnomon.base.isolation import IsolatedObject
class Hanging:
    def pid(self): return os.getpid()
    def hang(self):
        import ctypes
        ctypes.CDLL(None).pause()
isolated = IsolatedObject(Hanging)
print(isolated.call("pid"), flush=True)
isolated.call("hang")
"""


class Victim:
    """Does what user-defined C may do."""

    def __init__(self) -> None:
        self.calls = 0

    def count(self) -> int:
        self.calls += 1
        return self.calls

    def pid(self) -> int:
        return os.getpid()

    def fail(self) -> None:
        raise GnomonError("wrong")

    def read(self, address: int) -> Any:
        return ctypes.c_int.from_address(address).value

    def end(self, code: int) -> None:
        ctypes.CDLL(None)._exit(code)

    def stop(self, number: int) -> None:
        os.kill(os.getpid(), number)


def ends(pid: int) -> bool:
    """Whether a process ends within ten seconds."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].startswith("Z"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


def test_it_lives_from_call_to_call_and_ends_with_the_block() -> None:
    with IsolatedObject(Victim) as isolated:
        pid = isolated.call("pid")
        assert pid != os.getpid()
        with pytest.raises(GnomonError, match="wrong"):
            isolated.call("fail")
        assert [isolated.call("count") for _ in range(3)] == [1, 2, 3]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_first_call_raises_what_the_constructor_raises() -> None:
    def make() -> object:
        raise GnomonError("no library")

    with IsolatedObject(make) as isolated, pytest.raises(GnomonError, match="no library"):
        isolated.call("pid")


@pytest.mark.parametrize(
    ("call", "argument", "message"),
    [
        ("read", 16, "SIGSEGV: it read or wrote memory that it does not own"),
        ("stop", signal.SIGFPE, "SIGFPE: it divided by zero, or a quotient did not fit"),
        ("stop", signal.SIGKILL, "SIGKILL: its process was ended"),
        ("end", 3, "its process ended with exit code 3"),
    ],
)
def test_a_crash_names_the_signal(
    call: str, argument: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    isolated = IsolatedObject(Victim)
    for expected in (message, "its process has ended in an earlier call"):
        with pytest.raises(SubprocessCrashError) as caught:
            isolated.call(call, argument)
        assert str(caught.value) == expected
    assert capfd.readouterr() == ("", "")


def test_a_call_that_hangs_ends_with_its_parent() -> None:
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", HANG], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.kill()
    assert ends(pid)


def _from_a_daemon(found: Any) -> None:
    own = multiprocessing.current_process()
    with IsolatedObject(Victim) as isolated:
        found.send((own.daemon, isolated.call("count"), isolated.call("pid") != os.getpid()))


def test_daemonic_workers_isolate_too() -> None:
    """Workers of Dask are daemonic, and multiprocessing starts no children of such processes."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    worker = context.Process(target=_from_a_daemon, args=(there,), daemon=True)
    worker.start()
    there.close()
    assert here.recv() == (True, 1, True)
    worker.join()
