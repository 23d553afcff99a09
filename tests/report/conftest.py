"""A browser, one at a time as a process cannot drive two, and the pages that it opens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
FIR = str(ROOT / "examples" / "c" / "fir.c")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from tests.report.browser import chromium

    with chromium() as opened:
        yield opened


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of a difference and of a deployment, and the index of their folder."""
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


@pytest.fixture(scope="session")
def why(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run."""
    file = tmp_path_factory.mktemp("html") / "why.html"
    options = ["--arch", "t13-simd4", "--html", str(file)]
    assert CliRunner().invoke(app, ["why", FIR, *options]).exit_code == 0
    return file


@pytest.fixture(scope="session")
def kinds(tmp_path_factory: pytest.TempPathFactory, pages: Path, why: Path) -> dict[str, Path]:
    """One page of each kind."""
    from tests.report.kinds import write_kinds

    return write_kinds(tmp_path_factory.mktemp("kinds"), pages, why)
