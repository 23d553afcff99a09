"""Rows of a test of which `make test` runs some, and a heavy group the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from _pytest.mark import ParameterSet

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable


def light_and_heavy(
    group: str,
    light: int | Container[Any] | Callable[..., bool],
    rows: Iterable[Any],
    name: Callable[..., str] | None = None,
) -> list[ParameterSet]:
    """Return rows for ``parametrize``: the light ones as they are, the others in a heavy group.

    ``light``: how many of the first rows, or which rows (themselves or their names), or a test of
    their values. A row of several values is a tuple. ``name``: gives the name of a row's values.
    """
    heavy, found = pytest.mark.heavy(group), []
    for at, row in enumerate(rows):
        given = row if isinstance(row, ParameterSet) else pytest.param(*_values(row))
        title = given.id if name is None else name(*given.values)
        if isinstance(light, int):
            chosen = at < light
        elif callable(light):
            chosen = light(*given.values)
        else:
            chosen = row in light or title in light
        marks = given.marks if chosen else (*given.marks, heavy)
        found.append(pytest.param(*given.values, id=title, marks=marks))
    return found


def _values(row: Any) -> tuple[Any, ...]:
    return row if type(row) is tuple else (row,)  # a named tuple is one value
