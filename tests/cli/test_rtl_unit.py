"""The points of ``gnomon rtl unit``."""

from __future__ import annotations

import pytest

from gnomon.base.errors import GnomonError
from gnomon.cli._points import parse_points


@pytest.mark.parametrize(
    ("texts", "points"),
    [(["a=1"], [{"a": 1}]), (["a=1,2", "b=-3"], [{"a": 1, "b": -3}, {"a": 2, "b": -3}]),
     (["a=2", "a=1,2"], [{"a": 2}, {"a": 1}])],
)  # fmt: skip
def test_points_are_all_combinations(texts: list[str], points: list[dict[str, int]]) -> None:
    assert parse_points(texts) == points


@pytest.mark.parametrize("text", ["a", "a=", "a=1,", "a=--1", "a=1.5", "a=x"])
def test_wrong_points_are_rejected(text: str) -> None:
    with pytest.raises(GnomonError, match=r"write PARAMETER=VALUE"):
        parse_points([text])
