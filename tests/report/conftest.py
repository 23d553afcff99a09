"""One browser at a time: a process cannot drive two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from tests.report.browser import chromium

    with chromium() as opened:
        yield opened
