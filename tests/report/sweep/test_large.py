"""Large sweeps: a page holds some of the points, of every value of each axis, and says which."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.explore import Axis, Counts, PointOutcome, SweepResult, make_sweep
from gnomon.explore.columns import PointTable, metric_names
from gnomon.report.sweep import _page, _shown, write_sweep_report
from gnomon.report.sweep._page import page_data
from gnomon.report.sweep._shown import held_step, select_shown

from .conftest import Opened, kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


def make_result(clocks: int) -> SweepResult:
    """Points of a made-up law, by column: the faster a clock, the more energy."""
    sweep = make_sweep(
        kernel_sweep(
            axes={"variant": ["scalar", "vector"], "vcu.simd": [1, 2, 4, 8],
                  "vcu.sharing": ["shared", "replicated"], "clock": ["10 MHz"]},
            fixed={"n": 8}, constraints=[], objectives=["time", "energy"],
        )
    )  # fmt: skip
    clock = replace(sweep.axes[-1], values=tuple(f"{10_000 + n} kHz" for n in range(clocks)))
    sweep = replace(sweep, axes=(*sweep.axes[:-1], clock))  # unread, as each would be tried
    count, names = sweep.grid_points, metric_names(sweep)
    places = np.unravel_index(np.arange(count), [len(axis.values) for axis in sweep.axes])
    metrics = np.full((count, len(names)), np.nan)
    cycles = 100.0 + 400 // (1 + places[0] * places[1]) + 30 * places[2]
    clock_mhz = 10 + places[3] / 1000
    metrics[:, names.index("wall_cycles")] = cycles
    metrics[:, names.index("time_us")] = cycles / clock_mhz
    metrics[:, names.index("energy_uj")] = cycles * clock_mhz / 1e4
    shared = [
        PointOutcome(
            {}, {}, {"build": "made up", "energy_kind": "made up", "energy_library": "none"}
        )
    ]
    points = PointTable(
        sweep, np.arange(count), np.zeros(count, np.int64), shared, np.arange(count), metrics,
        frozenset(),
    )  # fmt: skip
    return SweepResult(sweep, points, Counts())


def test_a_page_holds_every_value_of_each_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_shown, "MOST_POINTS", 200)
    for clocks in (100, 168):
        result = make_result(clocks)
        shown = select_shown(result)
        data = page_data(shown)
        assert len(shown.front) == clocks
        assert len(data["points"]) <= 400 + 1
        for axis in data["axes"]:
            assert set(axis["of"]) == set(range(len(axis["values"])))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4))
def test_steps_share_no_factor_with_an_axis(sizes: list[int]) -> None:
    axes = tuple(Axis(str(n), tuple(range(size))) for n, size in enumerate(sizes))
    sweep = replace(make_sweep(kernel_sweep()), axes=axes)
    step = held_step(sweep, 20_000)
    assert step >= 4
    assert all(gcd(step, size) == 1 for size in sizes)


def test_a_large_front_is_thinned_and_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_shown, "MOST_POINTS", 100)
    monkeypatch.setattr(_page, "MOST_IN_CSV", 1_000)
    result = make_result(500)
    shown = select_shown(result)
    assert len(shown.front) == 500
    on_front = [row for row in shown.held.rows if row.index in shown.front]
    assert 100 <= len(on_front) < 120
    times = sorted(row.outcome.metrics["time_us"] for row in on_front)
    whole = sorted(result.points.column(shown.vertical()).tolist())
    front = sorted(
        result.points.take(np.array(sorted(shown.front))).column(shown.vertical()).tolist()
    )
    assert times[0] == front[0] == whole[0]
    assert times[-1] == front[-1]
    places = np.searchsorted(front, times)
    assert max(b - a for a, b in pairwise(places.tolist())) <= 12  # equal steps
    assert set(shown.taken) <= {row.index for row in shown.held.rows}
    files = {path.name for path in write_sweep_report(result, tmp_path)}
    assert "points.csv" not in files
    page = " ".join((tmp_path / "index.html").read_text().split())
    held = f"{len(shown.held.rows):,} of {len(result.rows):,} points"
    assert f"The page holds {held}: {len(on_front):,} of 500 points on fronts" in page
    assert re.search(r"one in \d+ of all points in grid order. results.parquet of", page)


@pytest.mark.heavy("browser")
def test_a_page_of_many_points_opens_in_three_seconds(browser: Browser, tmp_path: Path) -> None:
    """Of processor time: the host of the test may be busy."""
    result = make_result(12_500)
    assert len(result.rows) == 200_000
    write_sweep_report(result, tmp_path)
    for width in (1280, 390):
        page = Opened(browser, tmp_path / "index.html", width)
        session = page.page.context.new_cdp_session(page.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.page.reload(wait_until="load")
        found = session.send("Performance.getMetrics")["metrics"]
        spent_s = {each["name"]: each["value"] for each in found}
        assert page.page.locator(".mark").count() > 9_000
        assert 0 < spent_s["TaskDuration"] <= 3.0
        page.close()
