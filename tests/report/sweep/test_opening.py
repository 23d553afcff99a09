"""The axes that a sweep opens on: what all points have, or the page says how many lack one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.explore import make_sweep, run_sweep
from gnomon.report.sweep import write_sweep_report
from gnomon.report.sweep._shown import select_shown
from tests.rows import light_and_heavy

from .conftest import Opened, kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from gnomon.explore import SweepResult

TIME, AREA, ENERGY = "minimize time", "minimize area", "minimize energy"


def swept(*objectives: str, **changes: Any) -> SweepResult:
    """Two dozen measured points; the energy of the half with replicated units is not known."""
    return run_sweep(make_sweep(kernel_sweep(objectives=list(objectives), **changes)))


@pytest.mark.parametrize(
    ("objectives", "x", "y"),
    [
        ((TIME, AREA, ENERGY), "area_luts", "time_us"),
        ((TIME, ENERGY), "area_luts", "time_us"),  # and not energy, which half of them lack
        ((ENERGY, TIME), "area_luts", "time_us"),
        ((ENERGY, AREA), "wall_cycles", "area_luts"),
        ((ENERGY,), "area_luts", "energy_uj"),
        ((AREA, TIME), "time_us", "area_luts"),
    ],
)
def test_it_opens_on_what_all_points_have(objectives: tuple[str, ...], x: str, y: str) -> None:
    shown = select_shown(swept(*objectives))
    assert (shown.horizontal().name, shown.vertical().name) == (x, y)
    every = len(shown.measured)
    assert shown.known(shown.horizontal()) == every
    if len(objectives) > 1:
        assert shown.known(shown.vertical()) == every
    assert shown.known(next(m for m in shown.metrics if m.name == "energy_uj")) == every / 2


def test_where_no_pair_is_whole_it_takes_the_most_known() -> None:
    result = swept(TIME, ENERGY)
    lacking = tuple(
        row
        if row.failed
        else replace(row, outcome=replace(row.outcome, metrics={
            name: value for name, value in row.outcome.metrics.items()
            if name in ("time_us", "energy_uj") or (name == "area_luts" and number % 4)
        }))
        for number, row in enumerate(result.rows)
    )  # fmt: skip
    shown = select_shown(replace(result, rows=lacking))
    known = {metric.name: shown.known(metric) for metric in shown.metrics}
    assert known["area_luts"] > known["energy_uj"]
    assert shown.horizontal().name == "area_luts"


@pytest.mark.parametrize("width", light_and_heavy("browser", 1, [390, 1280]))
def test_the_page_says_how_many_are_not_shown(browser: Browser, tmp_path: Path, width: int) -> None:
    result = swept(TIME, ENERGY)
    write_sweep_report(result, tmp_path)
    opened = Opened(browser, tmp_path / "index.html", width)
    every = len([row for row in result.rows if not row.failed])
    told = opened.page.locator("#count")
    assert told.inner_text().startswith(f"{every} of {every} points shown")
    assert "cannot be shown" not in told.inner_text()
    assert opened.page.locator(".mark").count() == every
    opened.page.locator("#x").select_option("energy_uj")
    assert told.inner_text().startswith(f"{every // 2} of {every} points shown")
    lacking = f"; {every - every // 2} cannot be shown here: their energy is not known"
    assert told.inner_text().endswith(lacking)
    assert opened.page.locator(".mark").count() == every // 2
    heads = opened.page.locator("#points thead th").all_inner_texts()
    assert [each.split()[0] for each in heads[:4]] == ["point", "time", "energy", "area"]
    edge = opened.page.locator("#points tbody td").nth(2).bounding_box()
    assert edge is not None
    assert edge["x"] + edge["width"] <= width
    opened.close()
