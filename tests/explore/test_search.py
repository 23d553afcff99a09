"""Searches beyond grids: the same seed visits the same points, and NSGA-II finds the front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.explore import PointOutcome, SweepResult, make_sweep, pareto_front, recommend, run_sweep
from gnomon.explore._nsga2 import search_front
from gnomon.explore._recommend import costs_of
from gnomon.explore._run import random_points
from gnomon.explore._runs import Counts
from gnomon.explore.columns import Row

from .conftest import kernel_sweep

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.explore import Sweep

AXES = {"n": list(range(1, 21)), "seed": list(range(20)), "fraction-bits": [10, 12, 15, 16]}


def searching(**search: Any) -> Sweep:
    data = kernel_sweep(
        axes=AXES, fixed={"variant": "scalar"}, objectives=["time", "energy"], search=search
    )
    return make_sweep(data)


def test_random_points() -> None:
    sweep = searching(method="random", points=50, seed=3)
    points = random_points(sweep)
    assert points == sorted(set(points)) == random_points(sweep)
    assert len(points) == 50
    assert 0 <= points[0] < points[-1] < sweep.grid_points == 1600
    assert points != random_points(searching(method="random", points=50, seed=4))
    everything = searching(method="random", points=5000, seed=3)
    assert random_points(everything) == list(range(1600))
    assert len(random_points(searching(method="random", points=1000, seed=3))) == 1000


def test_a_random_search_runs(own_cache: Path) -> None:
    sweep = searching(method="random", points=6, seed=3)
    result = run_sweep(sweep)
    assert [row.index for row in result.rows] == random_points(sweep)
    assert not result.failed


class Space:
    """Answers with a known trade-off: both costs are least on n + seed = 20 at fraction 16."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.visited: list[int] = []

    def row(self, index: int) -> Row:
        values = self.sweep.point(index)
        n, seed, bits = (int(value) for value in values)  # type: ignore[arg-type]
        if seed == 7:
            return Row(index, values, None, PointOutcome(reason="broken"))
        away = abs(n + seed - 20) + (16 - bits)
        return Row(
            index, values, None, PointOutcome({"time_us": n + away, "energy_uj": 1 + seed + away})
        )

    def evaluate(self, indices: Sequence[int]) -> list[Row]:
        self.visited += [index for index in indices if index not in self.visited]
        return [self.row(index) for index in indices]


def nsga2_visits(points: int, seed: int) -> tuple[Sweep, Space]:
    pytest.importorskip("pymoo")

    sweep = searching(method="nsga2", points=points, seed=seed, population=20)
    space = Space(sweep)
    search_front(sweep, space.evaluate)
    return sweep, space


def test_nsga2_visits_the_same_points_again() -> None:
    _, first = nsga2_visits(120, 5)
    _, again = nsga2_visits(120, 5)
    _, other = nsga2_visits(120, 6)
    assert first.visited == again.visited != other.visited
    assert len(first.visited) == len(set(first.visited)) == 120


def test_nsga2_comes_nearer_to_the_front_than_chance() -> None:
    sweep, space = nsga2_visits(300, 1)

    def best(indices: Sequence[int]) -> int:
        """Points of the true front among those visited."""
        rows = [space.row(index) for index in indices]
        costs = costs_of([space.row(index) for index in range(sweep.grid_points)], sweep.objectives)
        front = set(pareto_front(costs))
        return len({row.index for row in rows} & front)

    by_chance = random_points(searching(method="random", points=300, seed=1))
    assert best(space.visited) >= 2 * best(by_chance) > 0
    result = SweepResult(sweep, tuple(space.row(i) for i in sorted(space.visited)), Counts())
    assert recommend(result)[0].take is not None


def test_nsga2_runs(own_cache: Path) -> None:
    pytest.importorskip("pymoo")
    sweep = searching(method="nsga2", points=10, seed=1, population=4)
    result = run_sweep(sweep)
    assert len(result.rows) == 10
    assert run_sweep(sweep).rows == result.rows
