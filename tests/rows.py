"""Rows of a test of which `make test` runs some, and a heavy group the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def heavy_after(count: int, group: str, rows: Iterable[Any]) -> list[Any]:
    """Return rows of one value for ``parametrize``, after the first ``count`` in a heavy group."""
    heavy = pytest.mark.heavy(group)
    return [row if at < count else pytest.param(row, marks=heavy) for at, row in enumerate(rows)]
