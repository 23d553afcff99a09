"""The example with a thousand points: what it says of a sample, direct simulation says, too."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gnomon.explore import read_sweep, run_sweep
from gnomon.explore._executor import ProcessPool
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner

from .conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.heavy("studies")
def test_a_twentieth_of_the_points_is_measured_again(own_cache: Path, tmp_path: Path) -> None:
    sweep = read_sweep(ROOT / "examples" / "disjoint-1000.yaml")
    assert sweep.grid_points == 1008
    pool = ProcessPool(2)
    try:
        result = run_sweep(sweep, tmp_path / "cold", executor=pool)
    finally:
        pool.close()
    assert not result.failed
    counts = result.counts
    assert counts.simulated + counts.retimed + counts.alike == 1008
    assert counts.simulated + 2 * counts.recorded < 150
    warm = run_sweep(sweep, tmp_path / "warm")
    assert warm.counts.computed == 0
    for name in ("results.parquet", "summary.json"):
        assert (tmp_path / "cold" / name).read_bytes() == (tmp_path / "warm" / name).read_bytes()

    learner = find_embedded_learner("linucb-disjoint")
    variant = learner.variant("standard-vector")
    for row in random.Random(0).sample(result.rows, 51):
        assert row.task is not None
        machine = row.task.architecture
        sizes = EmbeddedSizes(int(row.values[0]), 8)  # type: ignore[arg-type]
        run = LearnerBench(learner, variant, machine, sizes).measure(case="random", details=False)
        metrics = row.outcome.metrics
        assert metrics["select_cycles"] == run.select.wall_cycles
        assert metrics["update_cycles"] == run.update.wall_cycles
        assert metrics["hart_cycles"] == run.hart_cycles
        assert metrics["time_us"] == run.time_us
        assert metrics["memory_bytes"] == run.text_bytes + run.static_bytes + sum(run.stack_bytes)
