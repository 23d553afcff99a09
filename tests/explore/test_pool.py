"""Worker processes end with their pool: when it is closed, and when its process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.workers import Worker, WorkerDied, wait_for_messages
from gnomon.explore._executor import ProcessPool

from .conftest import ROOT

SCRIPT = """
import signal, sys, time
from gnomon.base.workers import Worker

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # workers inherit that; they end all the same
    workers = [Worker(time.sleep) for _ in range(2)]
    for worker in workers:
        worker.receive()
        if sys.argv[1] == "busy":
            worker.call("nap", 600)
    print(*(worker.pid for worker in workers), flush=True)
    time.sleep(600)
"""


def runs(pid: int) -> bool:
    """Return whether a process runs; one that has ended and waits for its parent does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def wait_for_end(pids: list[int]) -> list[int]:
    """Return the processes that still run after a generous time."""
    deadline = time.monotonic() + 30
    while any(map(runs, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return [pid for pid in pids if runs(pid)]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
@pytest.mark.parametrize("work", ["idle", "busy"])
def test_no_worker_outlives_a_killed_parent(work: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, work],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 2
        assert all(map(runs, pids))
        parent.kill()
        parent.wait()
        try:
            assert wait_for_end(pids) == []
        finally:
            for pid in filter(runs, pids):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("when", ["starting", "idle", "busy", "writing"])
def test_a_worker_ends_at_once_and_its_owner_does_not_wait(when: str) -> None:
    worker = Worker(bytes if when == "writing" else time.sleep)
    if when != "starting":
        assert worker.receive() is None
    if when == "busy":
        worker.call("nap", 600)
    if when == "writing":  # more than a pipe holds: it is in the middle of its result
        worker.call("bytes", 10_000_000)
        assert wait_for_messages([worker]) == [worker]
    began = time.monotonic()
    worker.end()
    assert time.monotonic() - began < 20
    assert wait_for_end([worker.pid]) == []


def test_what_a_worker_had_to_do_is_known_when_it_dies() -> None:
    worker = Worker(bytes)
    worker.call("small", 3)
    worker.call("large", 10_000_000)
    worker.call("next", 1)
    assert worker.receive() is None
    assert worker.receive() == ("small", b"\0\0\0")
    assert wait_for_messages([worker]) == [worker]
    os.kill(worker.pid, signal.SIGKILL)  # part of a result is in the pipe
    with pytest.raises(WorkerDied):
        worker.receive()
    assert list(worker.pending) == ["large", "next"]
    worker.end()


def test_an_error_of_a_worker_says_where_it_was() -> None:
    worker = Worker(bytes)
    worker.call("negative", -1)
    worker.receive()
    with pytest.raises(ValueError, match="negative count") as error:
        worker.receive()
    assert "in a worker process" in "".join(error.value.__notes__)
    worker.end()


class Stillborn:
    """A worker that ends before its first message."""

    ready = False

    def __init__(self, _: object) -> None:
        self.pending = deque[object]()

    def receive(self) -> None:
        raise WorkerDied("ended")

    def end(self) -> None:
        pass


def test_processes_that_cannot_start_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a script without `if __name__ == "__main__":`."""
    monkeypatch.setattr("gnomon.explore._executor.Worker", Stillborn)
    monkeypatch.setattr("gnomon.explore._executor.wait_for_messages", list)
    pool = ProcessPool(2)
    with pytest.raises(GnomonError, match="ended at their start"):
        list(pool.run([[], []]))
    pool.close()
