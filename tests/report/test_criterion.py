"""A criterion: limits are numbers, words come from them, and a NaN meets nothing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.report.criteria import Criterion

_NUMBERS = st.floats(-1e6, 1e6)


@pytest.mark.parametrize(
    ("least", "most", "words", "meeting", "missing"),
    [
        (0.5, None, "at least 0.5", 0.5, 0.4999),
        (None, 2.0, "at most 2", 2.0, 2.0001),
        (0.97, 1.25, "0.97 to 1.25", 1.0, 1.3),
        (1.0, 1.0, "1", 1.0, 0.9),
    ],
)
def test_limits_and_their_words(
    least: float | None, most: float | None, words: str, meeting: float, missing: float
) -> None:
    assert Criterion("A", "a", meeting, least, most).limit == words
    assert Criterion("A", "a", meeting, least, most).met is True
    assert Criterion("A", "a", missing, least, most).met is False
    assert Criterion("A", "a", math.nan, least, most).met is False


@given(st.lists(_NUMBERS, min_size=1), _NUMBERS, _NUMBERS)
def test_all_values_must_be_within(values: list[float], one: float, other: float) -> None:
    least, most = min(one, other), max(one, other)
    criterion = Criterion.from_values("A", "a", values, least=least, most=most)
    assert criterion.met == all(least <= value <= most for value in values)
    assert criterion.value in values


def test_several_values_in_words() -> None:
    assert Criterion.from_values("A", "a", [1.2, 0.9], least=0.0).found == "0.900 to 1.200"
    assert (
        Criterion.from_values("A", "a", [81.2, 227.4], least=10.0, form=".0f").found == "81 to 227"
    )
    assert Criterion("A", "a", 1.0, least=0.0).found == "1.000"
    assert Criterion.from_values("A", "a", [1.0, math.nan, 2.0], most=3.0).met is False


def test_a_comparison() -> None:
    criterion = Criterion("A", "a", math.nan, comparison=("3, 2", "descending", True))
    assert (criterion.found, criterion.limit, criterion.met) == ("3, 2", "descending", True)
    shown = Criterion("A", "a", math.nan, weak=True, comparison=("no", "shown only", None))
    assert shown.met is None
