"""Rows of a test of which `make test` runs some, and a heavy group the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

    Row = tuple[Any, ...]


def heavy_after(count: int, group: str, rows: Iterable[Any]) -> list[Any]:
    """Return rows of one value for ``parametrize``, after the first ``count`` in a heavy group."""
    heavy = pytest.mark.heavy(group)
    return [row if at < count else pytest.param(row, marks=heavy) for at, row in enumerate(rows)]


def light_first(group: str, light: Iterable[Row], rows: Iterable[Row]) -> list[Any]:
    """Return rows of several values, ``light`` ones first; the others are in a heavy group."""
    heavy, first = pytest.mark.heavy(group), list(light)
    others = [row for row in rows if row not in first]
    return [*first, *(pytest.param(*row, marks=heavy) for row in others)]
