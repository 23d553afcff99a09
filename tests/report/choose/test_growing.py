"""The runs of the study of `gnomon choose`: seeds add up, and a stopped run resumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.content.reports.choose import cells, growing, playing, tables
from gnomon.content.reports.choose.policies import POLICIES
from gnomon.content.reports.choose.tally import HALF_WIDTH, Tally
from gnomon.content.reports.choose.working import Work
from gnomon.report.study import Keeps

if TYPE_CHECKING:
    from pathlib import Path

BUDGET = 1e12


def runs(seeds: int, checkpoints: int, seed: int = 1) -> playing.Runs:
    rng = np.random.default_rng(seed)
    curves = rng.uniform(0.1, 0.6, (seeds, checkpoints))
    return playing.Runs(POLICIES[0], curves, rng.uniform(size=seeds))


def part(whole: playing.Runs, first: int, last: int) -> playing.Runs:
    return playing.Runs(whole.policy, whole.curves[first:last], whole.late[first:last])


def state(cell: cells.Cell, seeds: int) -> tables.CellState:
    found = tables.CellState(cell)
    points = len(playing.checkpoints(cell.at.horizon))
    for policy in POLICIES:
        found.choices[policy] = policy.tried(cell.at.arms)[0]
        found.tallies[policy] = Tally.empty(points).add(runs(seeds, points))
    return found


def test_batches_of_seeds_add_up_to_all_of_them() -> None:
    whole = runs(40, 5)
    at_once = Tally.empty(5).add(whole)
    grown = Tally.empty(5)
    for first, last in ((0, 8), (8, 16), (16, 40)):
        grown = grown.add(part(whole, first, last))
    assert grown.seeds == at_once.seeds == 40
    assert grown.locked == at_once.locked == int((whole.late > playing.LOCKED).sum())
    assert grown.mean == pytest.approx(whole.curves.mean(axis=0))
    assert grown.squares == pytest.approx(39 * whole.curves.var(axis=0, ddof=1))
    assert grown.half == pytest.approx(at_once.half)


def test_tables_of_the_cells_are_read_again_and_grow_on() -> None:
    cell = cells.design(4)[3]
    before = state(cell, 16)
    written = tables.table_rows([before], BUDGET)
    texts = {name: each.astype(str) for name, each in written.items()}
    after = tables.read_states([cell], texts)[cell.number]
    assert after.choices == before.choices
    for policy, tally in before.tallies.items():
        assert after.tallies[policy].seeds == tally.seeds
        assert after.tallies[policy].locked == tally.locked
        assert after.tallies[policy].mean == pytest.approx(tally.mean, rel=1e-4)
        assert after.tallies[policy].half == pytest.approx(tally.half, rel=1e-3)
    asked = growing.find_work(after, 32, BUDGET, 3)
    assert asked is not None
    assert [(each.policy, each.first, each.count) for each in asked.wants] == [
        (policy, 16, 16) for policy in POLICIES if before.tallies[policy].width > HALF_WIDTH
    ]


def test_a_policy_gets_more_seeds_until_its_mean_is_certain() -> None:
    cell = cells.design(1)[0]
    certain = state(cell, 8)
    points = len(playing.checkpoints(cell.at.horizon))
    for policy in POLICIES:
        exact = playing.Runs(policy, np.full((8, points), 0.3), np.zeros(8))
        certain.tallies[policy] = Tally.empty(points).add(exact)
    asked = growing.find_work(certain, 200, BUDGET, 3)
    assert asked is None or not asked.wants
    new = growing.find_work(tables.CellState(cell), 8, BUDGET, 3)
    assert new is not None
    assert {(each.policy, each.first, each.count) for each in new.wants} == {
        (policy, 0, 8) for policy in POLICIES
    }
    assert growing.find_work(tables.CellState(cell), 8, 1.0, 3) is None  # no run is short enough


def test_passes_double_seeds_and_budget_up_to_the_limits() -> None:
    assert growing.passes(8, 2e6) == [(8, 2e6)]
    found = growing.passes(200, 1e10)
    assert [seeds for seeds, _ in found] == [8, 16, 32, 64, 128, 200]
    assert found[0][1] == growing.FIRST_BUDGET
    assert found[-1][1] == 1e10
    assert [budget for _, budget in found] == sorted(budget for _, budget in found)


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("jobs", [1, 2])
def test_work_that_is_stopped_resumes_and_repeats_nothing(
    jobs: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    calls = [(2, seed) for seed in range(4)]

    def results(
        minutes: float | None, some: list[tuple[int, int]]
    ) -> dict[tuple[int, ...], object]:
        work = Work(Keeps(fresh=False), jobs, minutes)
        return dict(work.over(cells.design, some, "designs"))

    first = results(None, calls[:2])
    assert first == {call: cells.design(*call) for call in calls[:2]}
    stopped = results(0, calls)
    assert stopped == first | dict.fromkeys(calls[2:])
    assert "no time is left for 2" in capfd.readouterr().err
    assert results(None, calls) == {call: cells.design(*call) for call in calls}
    assert "2 of 4 are to be measured" in capfd.readouterr().err
    assert results(None, calls) == {call: cells.design(*call) for call in calls}
    assert not capfd.readouterr().err
