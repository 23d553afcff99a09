"""One look at each kind of page in a real browser; the heavy group `browser` looks closely."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.content.reports.paper.results import Results
from gnomon.content.reports.paper.study import paper_page
from gnomon.explore import SweepFile
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


def test_each_kind_of_page_fits_a_phone_and_begins_with_its_picture(
    browser: Browser, pages: Path, why: Path, tmp_path: Path
) -> None:
    write_sweep_report(SweepFile.make(SWEEP).run(), tmp_path / "sweep", "a sweep")
    paper = tmp_path / "paper.html"
    paper.write_text(paper_page(Results(REPORTS))[0])
    for path, first, count in (
        (pages / "diff.html", ".bars", 1),
        (pages / "deploy" / "wearable.html", "figure img", 2),
        (pages / "index.html", "#pages a", 2),
        (why, "#stack svg", 1),
        (tmp_path / "sweep" / "index.html", "#plot .mark", 4),
        (paper, "#headline .card", 6),
    ):
        with opened(browser, path, 390) as page:
            assert page.evaluate("document.documentElement.scrollWidth") == 390, path
            assert page.evaluate(TOO_WIDE) == [], path
            assert page.locator(first).count() >= count, path
            box = page.locator(first).first.bounding_box()
            assert box is not None, path
            assert box["y"] < 844, path
