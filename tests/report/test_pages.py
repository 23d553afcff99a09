"""Pages that are one file: of a difference, of a deployment, and the index of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.report.browser import TOO_WIDE, opened

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.heavy("browser")

PAGES = {"diff.html": ".bars", "deploy/wearable.html": "figure img", "index.html": "#pages a"}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("look", [(1280, "dark"), (390, "light")])
def test_a_page_fits_and_begins_with_its_picture(
    browser: Browser, pages: Path, name: str, look: tuple[int, str]
) -> None:
    with opened(browser, pages / name, *look) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == look[0]
        assert page.evaluate(TOO_WIDE) == []
        first = page.locator(PAGES[name]).first.bounding_box()
        assert first is not None
        assert first["y"] < 600


def test_the_index_leads_to_every_page(pages: Path, browser: Browser) -> None:
    with opened(browser, pages / "index.html", 1280) as page:
        links = [each.get_attribute("href") for each in page.locator("#pages a").all()]
        said = page.locator("#pages tbody tr").all_inner_texts()
    assert links == ["deploy/wearable.html", "diff.html"]
    assert "Slowest clock that keeps all" in said[0]  # its answer, not its first sentence
    assert "B takes" in said[1]
    assert all((pages / str(link)).is_file() for link in links)


def test_points_of_a_figure_say_what_they_are(browser: Browser, pages: Path) -> None:
    with opened(browser, pages / "deploy/wearable.html", 390) as page:
        figure = page.locator("figure", has=page.get_by_role("img", name="clock (MHz)")).first
        marks, bar = figure.locator(".marked i"), page.locator("#source-bar")
        marks.first.focus()
        words = bar.inner_text()
        page.keyboard.press("ArrowRight")
        assert bar.inner_text() == marks.nth(1).get_attribute("aria-label") != words
        marks.last.hover()
        assert "clock (MHz) 100, " in bar.inner_text()
        assert figure.locator("[tabindex='0']").count() == 1
