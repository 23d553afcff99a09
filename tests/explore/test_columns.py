"""Sweeps in pieces: batches, slices and blocks of any size give what one piece gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq
import pytest

from gnomon import measure_kernel
from gnomon.cost.energy import OptionalEnergy
from gnomon.explore import make_sweep, pareto_front, run_sweep
from gnomon.explore._run import make_jobs
from gnomon.explore.columns import PointTable

from .conftest import kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path

CLOCKS = [f"{10 + n} MHz" for n in range(40)]
LARGE = kernel_sweep(
    axes={"variant": ["scalar", "vector"], "vcu.simd": [1, 8],
          "vcu.scratchpads.size": ["16 B", "1 KiB"], "clock": CLOCKS},
    arch="t13-simd4", fixed={"n": 4}, objectives=["minimize time", "minimize energy"],
)  # fmt: skip


def test_pieces_give_the_same_bytes(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = make_sweep(LARGE)
    whole = run_sweep(sweep, tmp_path / "whole")
    assert whole.counts.computed > 200
    for entry in sorted(own_cache.glob("sweep/*.entry"))[::2]:
        entry.unlink()
    monkeypatch.setattr("gnomon.explore._run._BATCH", 7)
    monkeypatch.setattr("gnomon.explore._result.SLICE", 11)
    pieces = run_sweep(sweep, tmp_path / "pieces")
    assert pieces.rows == whole.rows
    assert 0 < pieces.counts.cached < whole.counts.computed
    for name in ("results.csv", "summary.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "pieces" / name).read_bytes()
    one, many = (pq.read_table(tmp_path / each / "results.parquet") for each in ("whole", "pieces"))
    assert one.equals(many)
    monkeypatch.setattr("gnomon.explore.files.MOST_IN_CSV", 100)
    run_sweep(sweep, tmp_path / "pieces")
    names = {path.name for path in (tmp_path / "pieces").iterdir() if path.name[0] != "."}
    assert names == {"results.parquet", "summary.json"}


def test_rows_are_those_of_the_grid(own_cache: Path) -> None:
    sweep = make_sweep(LARGE)
    found = run_sweep(sweep)
    points = found.points
    for row in found.rows[::17]:
        assert row.values == sweep.point(row.index)
        assert (row.task is None) == (not points.made[row.index])
    again = PointTable.of(sweep, list(found.rows))
    assert again == points
    assert found.columns() == run_sweep(sweep).columns()


def test_energy_by_clock_is_that_of_each_clock(own_cache: Path) -> None:
    """Machines that differ in their clock share the count of toggles."""
    found = run_sweep(make_sweep(LARGE))
    rows = [row for row in found.rows if not row.failed and row.task is not None]
    for row in rows[:: len(rows) // 6]:
        assert row.task is not None
        machine, first = row.task.architecture, rows[0].task
        assert first is not None
        run = measure_kernel("add", machine, n=4)
        other = machine.model_copy(update={"clock": first.architecture.clock * 3})
        by_clock = OptionalEnergy.by_clock(run.work, other)
        assert by_clock(machine) == OptionalEnergy.from_work(run.work, machine)


def test_jobs_hold_all_tasks_once(own_cache: Path) -> None:
    found = run_sweep(make_sweep(LARGE))
    tasks = [row.task for row in found.rows if row.task is not None]
    firsts, rest = make_jobs(tasks, 2)
    numbers = [number for job in (*firsts, *rest) for number in job]
    assert sorted(numbers) == list(range(len(tasks)))
    assert max(map(len, rest)) <= 64


@pytest.mark.parametrize("values", [3, 1000])
def test_a_front_of_blocks(values: int) -> None:
    generator = np.random.default_rng(0)
    costs = generator.integers(values, size=(1500, 3)).astype(float)
    costs[generator.integers(1500, size=20), 1] = np.nan
    known = ~np.isnan(costs).any(axis=1)
    dominated = [
        (known & (costs <= row).all(axis=1) & (costs < row).any(axis=1)).any() for row in costs
    ]
    assert pareto_front(costs) == np.flatnonzero(known & ~np.array(dominated)).tolist()
