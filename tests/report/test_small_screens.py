"""Pages on a phone and on paper: letters of 10 px and more, what decides first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.report.run_page import run_page
from gnomon.report.svg import PHONE_LETTERS_PT, PHONE_WIDTH_IN
from tests.report.browser import TOO_WIDE, opened
from tests.report.kinds import KINDS, KNOB
from tests.report.test_by_line import OWN, SLEEPER, view
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

ROOT = Path(__file__).parents[2]
PHONE, PAPER, LEAST_PX, LEAST_PT = 390, 720, 10.0, 8.0
LEAST_PRINTED_PX = 8.0  # 6 pt
WHITE = "rgb(255, 255, 255)"
SMALL = """least => [...document.querySelectorAll('main *')]
    .filter(each => [...each.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))
    .filter(each => each.getBoundingClientRect().width)
    .filter(each => parseFloat(getComputedStyle(each).fontSize)
        * (each.getScreenCTM ? each.getScreenCTM().a : 1) < least)
    .map(each => each.textContent.slice(0, 30))"""
CUT_OFF = """[...document.querySelectorAll('.scroll > table')]
    .filter(each => each.getBoundingClientRect().right > innerWidth + 1)
    .map(each => each.closest('[id]')?.id)"""
"""Tables that are wider than the paper."""
PICTURES = """() => [...document.querySelectorAll('.marked img')].map(each => [
    getComputedStyle(each.closest('figure')).page === 'broad' ? 992  // of a page on its side
        : each.getBoundingClientRect().width, Number(each.getAttribute('width'))])"""
NO_HINT = """() => [...document.querySelectorAll('.scroll')]
    .filter(each => (each.scrollWidth > each.clientWidth + 1)
        !== getComputedStyle(each, '::before').content.startsWith('"Scroll sideways'))
    .map(each => each.outerHTML.slice(0, 80))"""
"""Boxes that are scrolled sideways and do not say so, and others that do."""
PALE = """() => [...document.querySelectorAll('main *:empty:not(input, td)')]
    .filter(each => each.getBoundingClientRect().width)
    .filter(each => getComputedStyle(each).backgroundColor !== 'rgba(0, 0, 0, 0)')
    .filter(each => getComputedStyle(each).printColorAdjust !== 'exact')
    .map(each => each.outerHTML.slice(0, 80))"""
"""Swatches and bars that paper would not show: browsers print no backgrounds."""
TORN = """() => [...document.querySelectorAll('.table')]
    .filter(each => each.querySelectorAll('tbody tr').length <= 12)
    .filter(each => getComputedStyle(each).breakInside !== 'avoid').map(each => each.id)"""
"""Short tables that a page break may cut."""
COMMITTED = sorted(
    path.relative_to(ROOT / "reports").as_posix() for path in (ROOT / "reports").rglob("index.html")
)


def check_letters(page: Page, least_px: float = LEAST_PX) -> None:
    assert page.evaluate(SMALL, least_px) == []
    for shown, drawn in page.evaluate(PICTURES):  # letters of pictures are drawn as lines
        letters_pt = PHONE_LETTERS_PT if drawn == round(PHONE_WIDTH_IN * 96) else LEAST_PT
        assert shown / drawn * letters_pt * 96 / 72 >= least_px


@pytest.mark.parametrize("name", light_and_heavy("browser", 1, COMMITTED))
def test_letters_of_committed_pages(browser: Browser, name: str) -> None:
    with opened(browser, ROOT / "reports" / name, PHONE) as page:
        check_letters(page)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE
        assert page.evaluate(NO_HINT) == []


def test_charts_of_a_deployment_are_whole_on_a_phone(browser: Browser) -> None:
    page_of = ROOT / "reports" / "deploy" / "wearable" / "index.html"
    with opened(browser, page_of, PHONE) as page:
        charts = page.locator("figure .scroll")
        assert charts.count() == 4
        assert page.locator("figure .wider").count() == 0


DECISIVE = """() => [...document.querySelectorAll('h1, .told, .subtitle, .big, .take dd, .bars')]
    .filter(each => { const box = each.getBoundingClientRect();
        return box.width
            && (box.left < 0 || box.right > innerWidth + 1 || each.closest('.scroll')); })
    .map(each => each.outerHTML.slice(0, 80))"""
"""What decides and is not in sight, or only if a box is scrolled sideways."""


@pytest.mark.heavy("browser")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_page_fits_a_phone(
    browser: Browser, kinds: dict[str, Path], kind: str, scheme: str
) -> None:
    with opened(browser, kinds[kind], PHONE, scheme) as page:
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE
        assert page.evaluate(TOO_WIDE) == []
        assert page.evaluate(DECISIVE) == []
        page.wait_for_function(f"({NO_HINT})().length === 0")  # after the boxes were opened
        check_letters(page)


@pytest.mark.heavy("browser")
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_page_is_printed_dark_on_white(
    browser: Browser, kinds: dict[str, Path], kind: str
) -> None:
    with opened(browser, kinds[kind], PAPER, "dark") as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == WHITE
        assert page.locator("select:visible, #source-bar:visible").count() == 0
        check_letters(page, LEAST_PRINTED_PX)
        assert page.evaluate(CUT_OFF) == []
        assert page.evaluate(PALE) == []
        assert page.evaluate(TORN) == []


@pytest.mark.heavy("browser")
def test_both_runs_of_a_deployment_are_in_sight(browser: Browser, kinds: dict[str, Path]) -> None:
    with opened(browser, kinds["deploy"], PHONE) as page:
        for name in ("latency", "energy", "ledger"):
            head = page.locator(f"#{name} th").last.bounding_box()
            assert head is not None
            assert head["x"] + head["width"] <= PHONE


@pytest.mark.heavy("browser")
def test_a_legend_of_many_values_names_some(browser: Browser, kinds: dict[str, Path]) -> None:
    with opened(browser, kinds["many"], PHONE) as page:
        shown = page.locator("#legend li").all_inner_texts()
        assert (shown[0], shown[-2:]) == ("clock 10 MHz", ["clock 49 MHz", "7 of 40 values"])
        page.locator("#filters").evaluate("box => box.open = true")
        page.locator("#axes select").select_option(["0", "39"])
        assert page.locator(".mark").count() == 4


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
    text = run_page(found, [KNOB])
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
