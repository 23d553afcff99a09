"""Worker processes end with their pool: when it is closed, and when its process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gnomon.explore._executor import ProcessPool

from .conftest import ROOT

SCRIPT = """
import signal, sys, time
from gnomon.explore._executor import ProcessPool

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # workers inherit that; they end all the same
    owner = ProcessPool(2)
    pool = owner._start()
    list(pool.map(abs, [1, 2, 3]))
    busy = [pool.submit(time.sleep, 600) for _ in range(1 if sys.argv[1] == "busy" else 0)]
    print(*pool._processes, flush=True)
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


def test_closing_ends_workers_in_the_middle_of_a_job() -> None:
    pool = ProcessPool(2)
    started = pool._start()
    assert started.submit(abs, -1).result() == 1
    processes = list(started._processes.values())
    future = started.submit(time.sleep, 600)
    while not future.running():
        time.sleep(0.01)
    began = time.monotonic()
    pool.close()
    assert time.monotonic() - began < 60
    assert not any(process.is_alive() for process in processes)
    pool.close()  # again is nothing
