"""Two workers of a Dask cluster, as processes of their own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("distributed")

from gnomon.base.errors import GnomonError
from gnomon.explore import make_sweep, run_sweep
from gnomon.explore._executor import DaskCluster
from tests.clusters import LoopbackCluster

from .conftest import kernel_sweep, run_command

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gnomon.explore import Task
    from gnomon.explore._executor import CompletedJob


@pytest.fixture
def cluster(own_cache: Path, tmp_path: Path) -> Iterator[LoopbackCluster]:
    made = LoopbackCluster(tmp_path)
    made.wait()
    yield made
    made.close()


class Killing(DaskCluster):
    """Kills a process of the cluster as soon as a job is done."""

    victim: subprocess.Popen[bytes] | None = None

    def run(self, jobs: Sequence[Sequence[Task]]) -> Iterator[CompletedJob]:
        for done in super().run(jobs):
            if self.victim is not None and len(jobs) > 4:
                self.victim.kill()
                self.victim.wait()
                self.victim = None
            yield done


@pytest.mark.heavy("kills")
def test_a_cluster_gives_what_one_process_gives(
    cluster: LoopbackCluster, own_cache: Path, tmp_path: Path
) -> None:
    axes = {"variant": ["scalar", "vector"], "n": [2, 3, 4], "vcu.simd": [1, 2, 4]}
    sweep = make_sweep(kernel_sweep(axes=axes))
    connected = DaskCluster(cluster.address)
    try:
        remote = run_sweep(sweep, tmp_path / "remote", executor=connected)
    finally:
        connected.close()
    assert remote.counts.computed == len(remote.rows) == 18
    for entry in own_cache.glob("sweep/*.entry"):
        entry.unlink()

    killing = Killing(cluster.address)
    killing.victim = cluster.workers[0]
    try:
        hurt = run_sweep(sweep, tmp_path / "hurt", executor=killing)
    finally:
        killing.close()
    assert killing.victim is None
    assert cluster.workers[0].poll() is not None
    assert hurt.counts.computed == 18
    for entry in own_cache.glob("sweep/*.entry"):
        entry.unlink()

    local = run_sweep(sweep, tmp_path / "local")
    assert local.counts.computed == 18
    for name in ("results.parquet", "summary.json"):
        whole = (tmp_path / "local" / name).read_bytes()
        assert (tmp_path / "remote" / name).read_bytes() == whole
        assert (tmp_path / "hurt" / name).read_bytes() == whole

    for entry in own_cache.glob("sweep/*.entry"):
        entry.unlink()
    killing = Killing(cluster.address)
    killing.victim = cluster.scheduler
    with pytest.raises(
        GnomonError, match=r"connection to the cluster lost .*; finished points are cached"
    ):
        run_sweep(sweep, tmp_path / "lost", executor=killing)
    killing.close()
    assert cluster.scheduler.poll() is not None
    again = run_sweep(sweep, tmp_path / "lost")
    assert 0 < again.counts.cached < 18
    assert (tmp_path / "lost" / "results.parquet").read_bytes() == (
        tmp_path / "local" / "results.parquet"
    ).read_bytes()


def test_no_scheduler(own_cache: Path, tmp_path: Path) -> None:
    spec = tmp_path / "sweep.yaml"
    spec.write_text(json.dumps(kernel_sweep()))
    with pytest.raises(GnomonError, match=r"--cluster tcp://127.0.0.1:9: no scheduler answers"):
        DaskCluster("tcp://127.0.0.1:9", timeout_s=0.5)
    done = run_command("sweep", str(spec), "--cluster", "tcp://127.0.0.1:9", "--jobs", "2")
    assert done.returncode == 2
    assert done.stderr == (
        "gnomon: --jobs and --cluster both select where points run; leave out one\n"
    )
