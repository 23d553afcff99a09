"""Counting: a row once, and the worst of them told."""

from __future__ import annotations

from gnomon.rtl.validate._record import Tally


def test_a_row_counts_once_however_many_columns_differ() -> None:
    tally = Tally()
    tally.row("a", {"x": "1", "y": "2"}, {"x": 2, "y": 9})
    tally.row("b", {"x": "1"}, {"x": 1})
    assert (tally.compared, tally.mismatches) == (2, 1)
    assert tally.worst == "a: y 9, measured 2"


def test_the_worst_is_the_furthest_off_and_a_word_before_any_number() -> None:
    tally = Tally()
    for where, got in (("small", 11), ("large", 30), ("again", 12)):
        tally.number(where, got, 10)
    assert tally.worst == "large: cycles 30, measured 10"
    tally.row("word", {"x": "c0de"}, {"x": "cafe"})
    tally.number("larger", 10_000, 10)
    assert tally.worst == "word: x cafe, measured c0de"


def test_bounds_hold_inside_and_tell_the_nearest_outside() -> None:
    tally = Tally()
    for measured in (3, 5, 7):
        tally.between("in", 3, measured, 7)
    assert (tally.compared, tally.mismatches) == (3, 0)
    tally.between("out", 3, 9, 7)
    assert (tally.mismatches, tally.worst) == (1, "out: cycles 7, measured 9")
