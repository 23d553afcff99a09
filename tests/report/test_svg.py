"""Compact pictures: the same shapes and texts in fewer characters."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.report.svg import compact_svg, relative_path, shorten, split_marks, with_marks

PLACES = st.integers(-99_999, 99_999).map(lambda hundredths: hundredths / 100)
PAIRS = {"M": 1, "L": 1, "Q": 2, "C": 3}


def step(letter: str) -> st.SearchStrategy[str]:
    numbers = st.lists(PLACES, min_size=2 * PAIRS[letter], max_size=2 * PAIRS[letter])
    return numbers.map(lambda each: letter + " ".join(f"{place:g}" for place in each))


SHAPES = st.lists(
    st.tuples(step("M"), st.lists(st.sampled_from("LQC").flatmap(step)), st.sampled_from(("", "z")))
)


def points(path: str) -> list[tuple[str, tuple[float, ...]]]:
    """Absolute places of every step, by the rules of SVG: a repeated letter may be left out."""
    found, x, y, start = [], 0.0, 0.0, (0.0, 0.0)
    counts = {"m": 2, "l": 2, "h": 1, "v": 1, "q": 4, "c": 6, "z": 0}
    for letter, rest in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", path):
        numbers = [float(each) for each in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]
        kind, count = letter.lower(), counts[letter.lower()]
        assert len(numbers) % count == 0 if count else not numbers
        for at in range(0, max(len(numbers), 1), count or 1):
            part = numbers[at : at + count]
            if letter == "h":
                part = [part[0], 0.0]
            if letter == "v":
                part = [0.0, part[0]]
            if letter.islower():
                part = [place + (x, y)[n % 2] for n, place in enumerate(part)]
            x, y = part[-2:] if part else start
            start = (x, y) if kind == "m" else start
            name = "l" if kind in "hv" else kind
            found.append((name, tuple(round(place, 2) for place in part)))
    return found


@given(SHAPES)
def test_a_relative_path_has_the_same_places(shapes: list[tuple[str, list[str], str]]) -> None:
    path = "".join(first + "".join(rest) + end for first, rest, end in shapes)
    short = relative_path(path)
    assert points(short) == points(path)
    assert relative_path(short) == short


@pytest.mark.parametrize("path", ["M0 0A1 1 0 0 1 2 2", "m1 2l3 4", "M1.234 5", "M1 2 3 4", "x"])
def test_another_path_is_left_alone(path: str) -> None:
    assert relative_path(path) == path


def test_a_picture_gets_shorter_and_keeps_what_it_refers_to() -> None:
    text = (
        '<?xml version="1.0"?>\n<!DOCTYPE svg\n "x">\n<svg width="9pt" height="9pt">\n<metadata>x'
        '</metadata>\n<style type="text/css">*{a: b}</style><!-- 4 -->\n<g id="axes_1">\n'
        '<path id="p12" d="M 40.179693 -2.5 \nL 1 2 \nz\n" style="fill: none; stroke: #ddd"/>\n'
        '<use xlink:href="#p12" x="1.006" transform="scale(0.015625)"/></g></svg>\n'
    )
    short = compact_svg(text)
    assert short == (
        '<svg width="9pt" height="9pt"><style type="text/css">*{a: b}.c0{fill:none;stroke:#ddd}'
        '</style><path id="i0" d="M40.18-2.5l-39.18 4.5z" class="c0"/>'
        '<use href="#i0" x="1.01" transform="scale(0.015625)"/></svg>'
    )
    assert compact_svg(short) == shorten(short) == short


def test_groups_classes_and_places_that_say_nothing_are_dropped() -> None:
    style = "<style>.c0{fill:none}.c1{opacity:0.5}</style>"
    paths = '<path id="i0" d="M0 0" class="c0"/><path id="i1" d="M0 0" class="c1"/>'
    text = (
        f'<svg>{style}{paths}<g><g clip-path="url(#i2)"><g><use href="#i0" class="c0"/></g></g>'
        '<g/></g><use href="#i1" class="c1"/><use href="#i0" transform="translate(3.5 0)"/>'
        '<use href="#i0" transform="translate(3 0) scale(0.7)"/>'
        '<use href="#i0" x="1" transform="translate(3 4)"/></svg>'
    )
    assert shorten(text) == (
        f'<svg>{style}{paths}<g clip-path="url(#i2)"><use href="#i0"/></g><g/>'
        '<use href="#i1" class="c1"/><use href="#i0" x="3.5"/>'
        '<use href="#i0" transform="translate(3 0) scale(0.7)"/>'
        '<use href="#i0" x="1" transform="translate(3 4)"/></svg>'
    )


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Zs", "Cc")), min_size=1)
MARKS = st.lists(st.tuples(PLACES, PLACES, st.lists(WORDS, min_size=1).map(" ".join)))


@given(MARKS)
def test_texts_of_points_come_back(marks: list[tuple[float, float, str]]) -> None:
    assert split_marks(with_marks("<svg></svg>", marks)) == ("<svg></svg>", tuple(marks))


def test_words_that_repeat_are_stored_once() -> None:
    marks = [(1.0, 2.0, f"energy (µJ) {at}, regret {at}.5") for at in range(20)]
    assert len(with_marks("<svg></svg>", marks)) < 0.7 * sum(len(str(mark)) for mark in marks)
    assert split_marks("<svg></svg>") == ("<svg></svg>", ())
