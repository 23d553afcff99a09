"""A real Chromium for tests of pages: the installed one, headless, without a network."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from tests.conftest import absent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
INSTALL = "sudo apt-get install chromium"
TOO_WIDE = """[...document.querySelectorAll('main *')].filter(each =>
    each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('.scroll'))
    .map(each => each.outerHTML.slice(0, 80))"""
"""What is wider than the page and in no box that scrolls."""


def chromium_path() -> str:
    """Where it is; skips the test if nowhere, and fails it in CI."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        absent(f"chromium: not found; install: {INSTALL}")
    return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser. Without its sandbox, which root in a container cannot have."""
    path = chromium_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, file: Path, width: int, scheme: str = "light") -> Iterator[Page]:
    """A page from disk. Fails if it says anything on the console or asks for another address."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.set_default_timeout(120_000)  # a loaded machine is slow, not wrong
    told: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri(), wait_until="load")
    yield page
    assert told == []
    assert {url for url in asked if not url.startswith("data:")} == {file.as_uri()}
    page.close()
