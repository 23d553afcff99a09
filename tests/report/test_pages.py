"""Pages that are one file: of a difference, of a deployment, and the index of a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app
from tests.report.browser import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
FIR = str(ROOT / "examples" / "c" / "fir.c")
TOO_WIDE = """[...document.querySelectorAll('main *')].filter(each =>
    each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('.scroll'))
    .map(each => each.outerHTML.slice(0, 80))"""
PAGES = {"diff.html": ".bars", "deploy/wearable.html": "figure img", "index.html": "#pages a"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    invoke = CliRunner().invoke
    options = ["--arch", "t13-simd4", "--set-b", "vcu.simd=8", "--json"]
    diff = invoke(app, ["diff", FIR, *options, "--html", str(folder / "diff.html")])
    assert json.loads(diff.stdout)["differs"] == "timing"
    spec = str(ROOT / "examples" / "wearable.yaml")
    page = str(folder / "deploy" / "wearable.html")
    assert invoke(app, ["deploy", spec, "--html", page]).exit_code == 0
    shown = invoke(app, ["report", "index", str(folder)])
    assert shown.stdout.split() == [str(folder / "index.html")]
    return folder


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("look", [(1280, "dark"), (390, "light")])
def test_a_page_fits_and_begins_with_its_picture(
    browser: Browser, folder: Path, name: str, look: tuple[int, str]
) -> None:
    with opened(browser, folder / name, *look) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == look[0]
        assert page.evaluate(TOO_WIDE) == []
        first = page.locator(PAGES[name]).first.bounding_box()
        assert first is not None
        assert first["y"] < 600


def test_the_index_leads_to_every_page(folder: Path, browser: Browser) -> None:
    with opened(browser, folder / "index.html", 1280) as page:
        links = [each.get_attribute("href") for each in page.locator("#pages a").all()]
        said = page.locator("#pages tbody tr").all_inner_texts()
    assert links == ["deploy/wearable.html", "diff.html"]
    assert "Slowest clock that keeps all" in said[0]  # its answer, not its first sentence
    assert "B takes" in said[1]
    assert all((folder / str(link)).is_file() for link in links)


def test_points_of_a_figure_say_what_they_are(browser: Browser, folder: Path) -> None:
    with opened(browser, folder / "deploy/wearable.html", 390) as page:
        figure = page.locator("figure", has=page.get_by_role("img", name="clock (MHz)")).first
        marks, bar = figure.locator(".marked i"), page.locator("#source-bar")
        marks.first.focus()
        words = bar.inner_text()
        page.keyboard.press("ArrowRight")
        assert bar.inner_text() == marks.nth(1).get_attribute("aria-label") != words
        marks.last.hover()
        assert "clock (MHz) 100, " in bar.inner_text()
        assert figure.locator("[tabindex='0']").count() == 1
