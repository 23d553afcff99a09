"""Values, tables and pictures of pages: escaping, formats, LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.report.page import read_picture
from gnomon.report.table import Column, Table, Value, number

if TYPE_CHECKING:
    from pathlib import Path


def test_numbers() -> None:
    assert str(number("1234567", ",.0f")) == "1,234,567"
    assert str(number(-0.5, ".1f")) == "\N{MINUS SIGN}0.5"
    assert str(number("N.A.", ".1f", source="a:1:b")) == "N.A."
    assert str(number("")) == str(number(None)) == "\N{EN DASH}"
    assert number("0.25").order == 0.25


def test_values_carry_their_source_and_are_escaped() -> None:
    shown = number("3", source="a.csv:2:x<y").__html__()
    assert shown == ('<span class="v" data-source="a.csv:2:x&lt;y">3</span>')
    assert 'class="v new"' in number("3", source="a", is_new=True).__html__()
    assert Value("a & b").__html__() == "a &amp; b"
    assert Value("w", link="#w", detail='"').__html__() == '<a href="#w" title="&quot;">w</a>'


def test_latex() -> None:
    columns = (Column("a_b", "g", is_number=True), Column("c", "g"), Column("why", in_print=False))
    rows = ((number("1"), Value("50 % & more"), Value("x")),)
    table = Table("t", "Over 5 µs", columns, rows)
    text = table.latex()
    assert r"\multicolumn{2}{c}{g} \\" in text
    assert r"a\_b & c \\" in text
    assert r"1 & 50 \% \& more \\" in text
    assert r"\caption{Over 5 $\mu$s}\label{tab:t}" in text
    assert "longtable" in Table("t", "c", columns, rows * 46).latex()


def test_a_row_has_a_value_for_each_column() -> None:
    with pytest.raises(AssertionError):
        Table("t", "c", (Column("a"),), ((),))


def test_a_picture_must_state_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text('<svg xmlns:xlink="x" width="72pt" height="36pt" viewBox="0 0 72 36"></svg>')
    picture = read_picture(path)
    assert (picture.width, picture.height) == (96, 48)
    assert picture.address.startswith("data:image/svg+xml,")
    path.write_text("<svg></svg>")
    with pytest.raises(GnomonError, match="is no SVG picture with width and height"):
        read_picture(path)
