"""The page of the committed tables in a real browser, on a desk and on a phone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.content.reports.paper.results import Results
from gnomon.content.reports.paper.study import paper_page
from tests.report.browser import TOO_WIDE, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.heavy("browser")

REPORTS = Path(__file__).parents[3] / "reports"
WIDTHS = (1280, 390)

# Everything unfolded: what is folded away has no width.
UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true; })"
BROKEN_IMAGES = "[...document.images].filter(i => !i.complete || i.naturalWidth === 0).length"
UNSEEN = """[...document.querySelectorAll('table, img')]
  .filter(each => each.getBoundingClientRect().height < 10).length"""
# Sibling cells, cards and figures that lie on each other.
OVERLAPS = """(() => {
  const boxes = [...document.querySelectorAll('.card, figure, .table')]
    .filter(each => !each.closest('details:not([open])'))
    .map(each => each.getBoundingClientRect()).filter(box => box.width > 0);
  return boxes.filter((a, i) => boxes.some((b, j) => i < j && a.left < b.right - 1
    && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
})()"""


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("paper") / "paper.html"
    path.write_text(paper_page(Results(REPORTS))[0])
    return path


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_fits_and_is_whole(browser: Browser, paper: Path, width: int, scheme: str) -> None:
    with opened(browser, paper, width, scheme) as page:
        for _ in range(2):  # as it opens, and unfolded
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate(TOO_WIDE) == []
            assert page.evaluate(OVERLAPS) == 0
            page.evaluate(UNFOLD)
        shown = page.locator("table, img").count()
        assert shown == len(re.findall("<table|<img", paper.read_text())) > 0
        assert page.evaluate(UNSEEN) == 0
        assert page.evaluate(BROKEN_IMAGES) == 0
        assert page.locator("#table2 tbody tr").count() == 32
        assert page.locator("h1").bounding_box()["y"] < 100  # it opens with the headline
        assert page.locator("#headline .card").count() == 6


def test_sort_filter_and_source(browser: Browser, paper: Path) -> None:
    with opened(browser, paper, 1280) as page:
        ours = page.locator("#table2 tbody tr:visible td:nth-child(5)")
        page.locator("#table2 select").nth(0).select_option("T13")
        page.locator("#table2 select").nth(1).select_option("opt+vcu")
        assert ours.all_inner_texts() == ["10,109", "27,719", "99,164", "350,838"]
        head = page.locator("#table2 tr.heads th:nth-child(5) button")
        head.click()
        head.click()
        assert ours.all_inner_texts() == ["350,838", "99,164", "27,719", "10,109"]
        ours.nth(3).locator(".v").click()
        told = page.locator("#source-bar")
        assert told.inner_text().startswith("reports/paper/cells.csv:")
        assert told.inner_text().endswith(":ours")
        page.locator("h1").click()
        assert told.is_hidden()


def test_a_link_opens_its_reason(browser: Browser, paper: Path) -> None:
    with opened(browser, paper, 390) as page:
        page.locator("#table3 a[href='#why-inverse']").first.click()
        assert page.locator("#why-inverse").bounding_box()["y"] < 900
