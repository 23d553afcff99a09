"""A Dask cluster on this host, as processes of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from gnomon.base.cluster import Cluster
from gnomon.base.errors import GnomonError

ROOT = Path(__file__).resolve().parents[1]


class LoopbackCluster:
    """A scheduler and some workers of one thread each."""

    def __init__(self, folder: Path, workers: int = 2, *, threads: int = 1) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.environment = os.environ | {
            "PYTHONPATH": str(ROOT),
            "DASK_CONFIG": str(ROOT / "packaging" / "dask.yaml"),
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "60s",
        }
        self.scheduler = self._start(
            "dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1"
        )
        deadline = time.monotonic() + 120
        while not self.file.is_file():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        self.workers = [
            self._start("dask_worker", "--nthreads", str(threads), "--no-nanny", "--no-dashboard")
            for _ in range(workers)
        ]
        self.address = str(json.loads(self.file.read_text())["address"])

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{name}", "--scheduler-file", str(self.file),
             *arguments],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def wait(self) -> str:
        """Return the address of the scheduler as soon as all workers are there."""
        deadline = time.monotonic() + 120
        while True:
            try:
                cluster = Cluster(self.address)
            except GnomonError:
                assert time.monotonic() < deadline
            else:
                cluster.close()
                if cluster.workers == len(self.workers):
                    return self.address
            time.sleep(0.1)

    def close(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
