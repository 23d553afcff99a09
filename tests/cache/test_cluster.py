"""Results of studies from the workers of a cluster: the same values, or a message."""

from __future__ import annotations

import pickle
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("distributed")

from gnomon.base.cluster import Cluster
from gnomon.base.errors import GnomonError
from gnomon.base.result_cache import ResultCache, compute_uncached
from gnomon.content.reports.bento_epsilon_greedy.bandits import unit_bandit
from gnomon.content.reports.bento_epsilon_greedy.experiment import play_instance
from gnomon.content.reports.linucb.drift import DriftCase, run_drift
from tests.clusters import LoopbackCluster

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def play(seeds: Iterable[int], *, rounds: int = 400) -> list[partial[dict[str, Any]]]:
    """Calls that do not depend on each other."""
    how = {"rounds": rounds, "p": 20, "runs": 2}
    return [partial(play_instance, unit_bandit(seed=seed), seed=seed, **how) for seed in seeds]


CALLS = play((1, 2, 3, 4, 1))


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def started(root: Path) -> Iterator[LoopbackCluster]:
    made = LoopbackCluster(root)
    made.wait()
    yield made
    made.close()


@pytest.mark.heavy("kills")
def test_each(started: LoopbackCluster, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = [*map(pickle.dumps, compute_uncached.each(CALLS))]
    cluster = Cluster(started.address)
    ResultCache()(CALLS[1].func, *CALLS[1].args, **CALLS[1].keywords)
    keep = ResultCache(cluster=cluster)
    results = keep.each(CALLS)
    assert pickle.dumps(next(results)) == plain[0]
    started.workers[0].kill()  # the other computes what it had
    started.workers[0].wait()
    assert [*map(pickle.dumps, results)] == plain[1:]
    assert (keep.computed, keep.found) == (4, 1)
    assert [*map(pickle.dumps, ResultCache().each(CALLS))] == plain

    reports: list[tuple[Any, ...]] = []
    case = DriftCase("linucb-disjoint", "normal", 200, dimensions=3, log_every=50)
    remote = partial(run_drift, case, progress=lambda *words: reports.append(words))
    (found,) = keep.each([remote])
    own: list[tuple[Any, ...]] = []
    expected = run_drift(case, progress=lambda *words: own.append(words))
    assert reports == own != []
    assert str(found) == str(expected)

    monkeypatch.setattr("gnomon.base.result_cache._get_processor", lambda: "abacus")
    with pytest.raises(GnomonError, match=r"another processor \(.+\) than this host \(abacus\)"):
        list(ResultCache(cluster=cluster).each(CALLS))
    monkeypatch.undo()
    monkeypatch.setenv("GNOMON_CACHE", str(root / "other"))

    results = ResultCache(cluster=cluster).each(play(range(40), rounds=4000))
    next(results)
    started.scheduler.kill()
    with pytest.raises(GnomonError) as lost:
        list(results)
    said = str(lost.value)
    assert said.startswith(f"--cluster {started.address}: connection to the cluster lost")
    assert said.endswith("are cached; rerun the same command to resume")
    cluster.close()


@pytest.mark.heavy("kills")
def test_workers_with_threads_are_rejected(root: Path) -> None:
    made = LoopbackCluster(root, workers=1, threads=2)
    try:
        cluster = Cluster(made.wait())
        with pytest.raises(GnomonError, match=r"has 2 threads, .*--nthreads 1"):
            list(ResultCache(cluster=cluster).each(CALLS[:1]))
        cluster.close()
    finally:
        made.close()
