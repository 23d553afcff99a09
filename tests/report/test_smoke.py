"""One look at each kind of page in a real browser; the heavy group `browser` looks closely."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.content.reports.paper.results import Results
from gnomon.content.reports.paper.study import paper_page
from gnomon.explore import make_sweep, run_sweep
from gnomon.report.sweep import write_sweep_report
from tests.report.browser import TOO_WIDE, opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REPORTS = Path(__file__).parents[2] / "reports"
SWEEP = {
    "schema": 1, "name": "small", "kernel": "add", "arch": "t13-paper-simd1",
    "axes": {"n": [2, 6], "vcu.simd": [1, 8]}, "fixed": {"variant": "vector"},
    "objectives": ["minimize time", "minimize area"],
}  # fmt: skip


def test_a_run_a_sweep_and_the_paper_fit_a_phone_and_begin_with_their_picture(
    browser: Browser, why: Path, tmp_path: Path
) -> None:
    write_sweep_report(run_sweep(make_sweep(SWEEP)), tmp_path / "sweep", "a sweep")
    paper = tmp_path / "paper.html"
    paper.write_text(paper_page(Results(REPORTS))[0])
    check(browser, why, "#stack svg", 1)
    check(browser, tmp_path / "sweep" / "index.html", "#plot .mark", 4)
    check(browser, paper, "#headline .card", 6)


@pytest.mark.heavy("browser")
def test_pages_of_a_folder_fit_a_phone_and_begin_with_their_picture(
    browser: Browser, pages: Path
) -> None:
    check(browser, pages / "diff.html", ".bars", 1)
    check(browser, pages / "deploy" / "wearable.html", "figure img", 2)
    check(browser, pages / "index.html", "#pages a", 2)


def check(browser: Browser, path: Path, first: str, count: int) -> None:
    with opened(browser, path, 390) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.evaluate(TOO_WIDE) == []
        assert page.locator(first).count() >= count
        box = page.locator(first).first.bounding_box()
        assert box is not None
        assert box["y"] < 844
