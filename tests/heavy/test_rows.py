"""Rows of a test that `make test` and a heavy group share."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.rows import light_and_heavy


class Size(NamedTuple):
    d: int
    arms: int


PAIRS = [(1, "a"), (2, "b"), (3, "c")]
PARAM = pytest.param(7, id="seven", marks=pytest.mark.filterwarnings("x"))


@pytest.mark.parametrize(
    ("light", "rows", "name", "values", "ids", "heavy"),
    [
        (1, PAIRS, None, PAIRS, [None] * 3, {1, 2}),
        ([(2, "b")], PAIRS, None, PAIRS, [None] * 3, {0, 2}),
        (lambda number, _: number > 1, PAIRS, None, PAIRS, [None] * 3, {0}),
        (("2",), range(1, 4), str, [(1,), (2,), (3,)], ["1", "2", "3"], {0, 2}),
        (0, [Size(4, 8)], None, [(Size(4, 8),)], [None], {0}),
        (("seven",), [PARAM, ((4, 8),)], None, [(7,), ((4, 8),)], ["seven", None], {1}),
    ],
)
def test_each_row_is_in_one_of_both(
    light: Any, rows: Any, name: Any, values: list[Any], ids: list[Any], heavy: set[int]
) -> None:
    found = light_and_heavy("studies", light, rows, name)
    assert [each.values for each in found] == values
    assert [each.id for each in found] == ids
    marks = [[(mark.name, mark.args) for mark in each.marks] for each in found]
    assert {at for at, each in enumerate(marks) if ("heavy", ("studies",)) in each} == heavy
    assert sum(("filterwarnings", ("x",)) in each for each in marks) == (PARAM in rows)
