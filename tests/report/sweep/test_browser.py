"""The page in a real browser: every point is there, says what it is, and can be chosen by."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from gnomon.explore import make_sweep, recommend, run_sweep
from gnomon.explore.metrics import METRICS
from gnomon.report.sweep import write_sweep_report

from .conftest import Opened, kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator

    from gnomon.explore import SweepResult

pytestmark = pytest.mark.heavy("browser")

METRIC = {each.name: each for each in METRICS}
_OVERLAPS = """() => {
  const texts = [...document.querySelectorAll("#plot svg text")];
  const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
  const plot = document.querySelector("#plot").getBoundingClientRect();
  const found = [];
  boxes.forEach(([name, a], at) => {
    if (a.left < plot.left - 1 || a.right > plot.right + 1) found.push([name, "edge"]);
    for (const [other, b] of boxes.slice(at + 1))
      if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
        found.push([name, other]);
  });
  return found;
}"""


def rows(report: Path) -> list[dict[str, str]]:
    with (report / "points.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def numbers(marks: Locator) -> list[int]:
    return sorted(
        int(number) for number in marks.evaluate_all("all => all.map(m => m.dataset.point)")
    )


def hover(opened: Opened, point: int) -> str:
    mark = opened.page.locator(f'.mark[data-point="{point}"]')
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box is not None
    opened.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    return opened.page.locator("#tip").inner_text()


def test_every_measured_point_is_there(opened: Opened, report: Path) -> None:
    marks = opened.page.locator(".mark")
    assert numbers(marks) == [int(row["point"]) for row in rows(report) if not row["failed"]]
    missing = opened.page.locator(".mark.misses")
    assert numbers(missing) == [
        int(row["point"]) for row in rows(report) if not row["failed"] and row["keeps"] == "no"
    ]
    front = opened.page.locator(".mark.front")
    assert numbers(front) == [int(row["point"]) for row in rows(report) if row["front"] == "yes"]
    assert len(numbers(missing)) > 0
    assert len(numbers(front)) > 1


def test_hover_says_which_configuration_it_is(opened: Opened, small: SweepResult) -> None:
    take = recommend(small)[0].take
    assert take is not None
    assert opened.page.locator("#tip").is_hidden()
    told = hover(opened, take.index)
    assert f"point {take.index}, recommended" in told
    for name, value in small.named(take).items():
        assert f"{name}\t{value}" in told
    assert "keeps all limits" in told
    opened.page.mouse.move(2, 2)
    assert opened.page.locator("#tip").is_hidden()


def test_the_first_screen_has_sentence_and_picture(opened: Opened) -> None:
    boxes = [opened.page.locator(each).first.bounding_box() for each in ("main .told", "#plot")]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["y"] < 100
    assert boxes[1]["y"] + boxes[1]["height"] < 844


def test_estimates_have_their_intervals(opened: Opened, small: SweepResult) -> None:
    front = recommend(small)[0].front
    assert opened.page.locator(".ends").count() == len(front)  # of the area; time is exact
    low, high = (front[0].metric(METRIC[f"area_{end}_luts"]) for end in ("low", "high"))
    assert low is not None
    assert high is not None
    told = [float(f"{each:.4g}") for each in (low, high)]
    assert f"({told[0]:,.0f} to {told[1]:,.0f})" in hover(opened, front[0].index)


def test_hover_says_which_limit_a_point_misses(opened: Opened, report: Path) -> None:
    worst = max(
        (row for row in rows(report) if not row["failed"]), key=lambda row: float(row["area_luts"])
    )
    assert "misses area <= 12 kLUT" in hover(opened, int(worst["point"]))


def test_arrow_keys_step_through_the_points(opened: Opened) -> None:
    opened.page.locator("#plot svg").focus()
    told = set()
    for _ in range(3):
        opened.page.keyboard.press("ArrowRight")
        told.add(opened.page.locator("#tip .name").inner_text())
    assert len(told) == 3


def test_filters_hold_for_marks_and_table(opened: Opened, report: Path) -> None:
    page = opened.page
    page.locator("#filters").evaluate("box => box.open = true")
    page.get_by_role("button", name="scalar", exact=True).click()
    left = [row for row in rows(report) if not row["failed"] and row["variant"] == "vector"]
    assert numbers(page.locator(".mark")) == [int(row["point"]) for row in left]
    listed = page.locator("#points tbody tr").evaluate_all("all => all.map(r => +r.dataset.point)")
    assert sorted(listed) == [int(row["point"]) for row in left]
    page.locator("#only-kept").check()
    kept = [int(row["point"]) for row in left if row["keeps"] == "yes"]
    assert numbers(page.locator(".mark")) == kept
    page.get_by_role("button", name="vector", exact=True).click()
    assert page.locator(".mark").count() == 0
    assert "no point to show" in (page.locator("#plot").text_content() or "")
    page.locator("#reset").click()
    assert page.locator(".mark").count() == len([r for r in rows(report) if not r["failed"]])


def test_other_quantities_can_be_chosen(opened: Opened, report: Path) -> None:
    page = opened.page
    page.locator("#y").select_option("energy_uj")
    known = [int(row["point"]) for row in rows(report) if row["energy_uj"]]
    assert numbers(page.locator(".mark")) == known
    rest = len(rows(report)) - len(known) - 8
    assert (
        f"{rest} cannot be shown here: their energy is not known"
        in page.locator("#count").inner_text()
    )
    assert "energy (" in (page.locator("#plot svg").text_content() or "")


def test_the_table_sorts_and_a_row_finds_its_mark(opened: Opened, report: Path) -> None:
    page = opened.page
    head = page.locator("#points th button", has_text="area")
    head.click()
    head.click()
    first = page.locator("#points tbody tr").first
    most = max(float(row["area_luts"]) for row in rows(report) if row["area_luts"])
    assert f"{most:,.0f} LUT" in first.inner_text()
    first.click()
    assert page.locator("#tip .name").inner_text() == f"point {first.get_attribute('data-point')}"


def test_nothing_overlaps_or_sticks_out(opened: Opened) -> None:
    page = opened.page
    for quantity in ("area_luts", "time_us", "energy_uj", "wall_cycles"):
        page.locator("#x").select_option(quantity)
        assert page.evaluate(_OVERLAPS) == []
    widths = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    sizes = page.evaluate(
        "[...document.querySelectorAll('#plot svg text')].map(t => parseFloat(getComputedStyle(t)"
        ".fontSize) * t.ownerSVGElement.getBoundingClientRect().width"
        " / t.ownerSVGElement.viewBox.baseVal.width)"
    )
    assert min(sizes) >= 11


def test_a_dark_page(browser: Browser, report: Path) -> None:
    opened = Opened(browser, report / "index.html", 1280, color_scheme="dark")
    ink = opened.page.evaluate("getComputedStyle(document.querySelector('.tick')).fill")
    assert ink == "rgb(232, 232, 232)"
    opened.close()


@pytest.mark.parametrize(
    "changes",
    [
        {"constraints": ["time <= 1 ns"]},
        {"constraints": [], "objectives": ["time"], "axes": {"n": [2], "variant": ["scalar"]}},
        {"per": ["n"], "objectives": ["minimize time", "maximize area"]},
    ],
    ids=["no point keeps the limit", "one point", "one front for each n"],
)
def test_other_sweeps(browser: Browser, tmp_path: Path, changes: dict[str, object]) -> None:
    result = run_sweep(make_sweep(kernel_sweep(**changes)))
    write_sweep_report(result, tmp_path)
    opened = Opened(browser, tmp_path / "index.html", 390)
    text = opened.page.locator("main").inner_text()
    for choice in recommend(result):
        assert choice.sentence[1:] in text
    shown = opened.page.locator(".mark").count()
    measured = len(result.rows) - len(result.failed)
    assert shown == (measured // 2 if "per" in changes else measured)
    opened.close()
