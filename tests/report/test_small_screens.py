"""Pages on a phone: letters of 10 px and more, what decides first, nothing old without a mark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.report.run_page import run_page
from tests.report.browser import opened
from tests.report.test_by_line import OWN, SLEEPER, view
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

ROOT = Path(__file__).parents[2]
PHONE, LEAST_PX, LEAST_PT = 390, 10.0, 8.0
SMALL = """least => [...document.querySelectorAll('main *')]
    .filter(each => [...each.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
    .filter(each => each.getBoundingClientRect().width)
    .filter(each => parseFloat(getComputedStyle(each).fontSize)
        * (each.getScreenCTM ? each.getScreenCTM().a : 1) < least)
    .map(each => each.textContent.slice(0, 30))"""
PICTURES = """() => [...document.querySelectorAll('.marked img')]
    .map(each => each.getBoundingClientRect().width / each.getAttribute('width'))"""
COMMITTED = sorted(
    path.relative_to(ROOT / "reports").as_posix() for path in (ROOT / "reports").rglob("index.html")
)


def check_letters(page: Page) -> None:
    assert page.evaluate(SMALL, LEAST_PX) == []
    for scale in page.evaluate(PICTURES):  # letters of pictures are drawn as lines
        assert scale * LEAST_PT * 96 / 72 >= LEAST_PX


@pytest.mark.parametrize("name", light_and_heavy("browser", 1, COMMITTED))
def test_letters_of_committed_pages(browser: Browser, name: str) -> None:
    with opened(browser, ROOT / "reports" / name, PHONE) as page:
        check_letters(page)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE


def test_charts_wider_than_the_page_say_how_the_rest_is_seen(browser: Browser) -> None:
    told = """() => [...document.querySelectorAll('figure')].map(each => [
        each.querySelector('.scroll').scrollWidth > each.querySelector('.scroll').clientWidth,
        getComputedStyle(each.querySelector('figcaption'), '::before').content])"""
    for width, expected in (
        (PHONE, [True, '"Scroll the chart sideways. "']),
        (1280, [False, "none"]),
    ):
        with opened(
            browser, ROOT / "reports" / "deploy" / "wearable" / "index.html", width
        ) as page:
            figures = page.evaluate(told)
            assert len(figures) == 4
            assert all(each == expected for each in figures), figures


def run_file(folder: Path, text: str = SLEEPER) -> Path:
    found, _ = view(folder, text, "t13-simd4", trace=True)
    file = folder / "run.html"
    file.write_text(run_page(found))
    return file


def test_a_run_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, run_file(tmp_path), PHONE) as page:
        check_letters(page)
        assert page.locator("#timeline rect").count() > 10
        heads = page.locator("#source .code").first.locator("th").all_inner_texts()
        assert heads[:2] == ["of the run", "wall cycles"]
        bounds = page.locator("#bounds th").all_inner_texts()
        assert bounds[:2] == ["resource", "of the run"]
        share = page.locator("#bounds tbody td:nth-child(2)").first.bounding_box()
        assert share is not None
        assert share["x"] + share["width"] <= PHONE


@pytest.mark.heavy("browser")
@pytest.mark.parametrize("text", [SLEEPER, OWN], ids=["one-file", "two-files"])
@pytest.mark.parametrize("width", [PHONE, 800, 1280])
def test_lines_of_a_run_sum_to_its_headline(
    browser: Browser, tmp_path: Path, text: str, width: int
) -> None:
    with opened(browser, run_file(tmp_path, text), width) as page:
        check_letters(page)
        shown = page.locator("#source .code td:nth-child(2)").all_inner_texts()
        shown += page.locator("#source .table td:nth-child(3)").all_inner_texts()
        total = sum(int(each.replace(",", "")) for each in shown if each)
        assert f"{total:,}" == page.locator("#cycles").inner_text()


STALE = ("headline", "stack", "shown")


@pytest.mark.parametrize("answer", light_and_heavy("browser", 1, ["answers", "error", "gone"]))
def test_what_an_old_setting_gave_is_marked_until_the_reply(
    browser: Browser, tmp_path: Path, answer: str
) -> None:
    found, _ = view(tmp_path, SLEEPER, "t13-simd4", trace=True)
    knob = {"key": "vcu.simd", "values": ["4", "8"], "value": "4", "unit": "", "meaning": "lanes"}
    text = run_page(found, [knob])
    waiting: list[Route] = []
    page = browser.new_page(viewport={"width": PHONE, "height": 900})
    page.route("**/*", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.route("**/retime?*", lambda route: route.fulfill(json={}))
    page.route("**/view?*", lambda route: waiting.append(route))  # noqa: PLW0108
    page.goto("http://127.0.0.1:9/")

    def stale() -> list[bool]:
        return [
            page.locator(f"#{name}").evaluate("each => each.classList.contains('stale')")
            for name in STALE
        ]

    assert stale() == [False] * 3
    with page.expect_request("**/view?*"):
        page.locator("input[name='vcu.simd']").press("ArrowRight")
    assert stale() == [True] * 3
    assert page.locator("#shown").get_attribute("aria-busy") == "true"
    while not waiting:
        page.wait_for_timeout(20)
    if answer == "answers":
        waiting[0].fulfill(json=found | {"wall_cycles": found["wall_cycles"] + 1})
        page.get_by_text("by a run").wait_for()
    elif answer == "error":
        waiting[0].fulfill(json={"error": "this machine cannot run it"})
        page.get_by_text("this machine cannot run it").wait_for()
    else:
        waiting[0].abort()
        page.get_by_text("gnomon live has ended").wait_for()
    assert stale() == [answer != "answers"] * 3
    page.close()
