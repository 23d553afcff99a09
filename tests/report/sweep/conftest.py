"""Small sweeps, measured once, and a real browser without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gnomon.explore import SweepResult, make_sweep, run_sweep
from gnomon.report.sweep import write_sweep_report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page


def kernel_sweep(**changes: Any) -> dict[str, Any]:
    """Two dozen points: some fail, some miss a limit, energy is not known of some."""
    return {
        "schema": 1,
        "name": "small",
        "kernel": "add",
        "arch": "t13-paper-simd1",
        "axes": {
            "variant": ["scalar", "vector"],
            "n": [2, 6],
            "vcu.simd": [1, 8],
            "vcu.sharing": ["shared", "replicated"],
            "vcu.scratchpads.size": ["16 B", "1 KiB"],
        },
        "constraints": ["area <= 12 kLUT"],
        "objectives": ["minimize time", "minimize area"],
    } | changes


@pytest.fixture(scope="session")
def small() -> SweepResult:
    return run_sweep(make_sweep(kernel_sweep()))


@pytest.fixture(scope="session")
def report(small: SweepResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_sweep_report(small, folder, "the <file> & its text")
    return folder


class Opened:
    """A page opened from its file, and what went wrong on it."""

    def __init__(self, browser: Browser, path: Path, width: int, **options: Any) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, offline=True, **options
        )
        self.page: Page = context.new_page()
        self.wrong: list[str] = []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on(
            "request",
            lambda request: (
                request.url.startswith(("file:", "data:")) or self.wrong.append(request.url)
            ),
        )
        self.page.goto(path.as_uri())

    def close(self) -> None:
        self.page.context.close()
        assert self.wrong == []


@pytest.fixture(params=[1280, 390])
def opened(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Opened]:
    """The report at desktop and at phone width; at the end, nothing has gone wrong on it."""
    page = Opened(browser, report / "index.html", request.param)
    yield page
    page.close()
