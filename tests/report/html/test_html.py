"""Values, tables and pictures of pages: escaping, formats, LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.report.page import read_picture
from gnomon.report.table import PageColumn, PageTable, Value, format_number

if TYPE_CHECKING:
    from pathlib import Path


def test_numbers() -> None:
    assert str(format_number("1234567", ",.0f")) == "1,234,567"
    assert str(format_number(-0.5, ".1f")) == "\N{MINUS SIGN}0.5"
    assert str(format_number("N.A.", ".1f", source="a:1:b")) == "N.A."
    assert str(format_number("")) == str(format_number(None)) == "\N{EN DASH}"
    assert format_number("0.25").order == 0.25


def test_values_carry_their_source_and_are_escaped() -> None:
    shown = format_number("3", source="a.csv:2:x<y").__html__()
    assert shown == ('<span class="v" data-source="a.csv:2:x&lt;y">3</span>')
    assert 'class="v new"' in format_number("3", source="a", is_new=True).__html__()
    assert Value("a & b").__html__() == "a &amp; b"
    assert Value("w", link="#w", detail='"').__html__() == '<a href="#w" title="&quot;">w</a>'


def test_latex() -> None:
    columns = (
        PageColumn("a_b", "g", is_number=True),
        PageColumn("c", "g"),
        PageColumn("why", in_print=False),
    )
    rows = ((format_number("1"), Value("50 % & more"), Value("x")),)
    table = PageTable("t", "Over 5 µs", columns, rows)
    text = table.latex()
    assert r"\multicolumn{2}{c}{g} \\" in text
    assert r"a\_b & c \\" in text
    assert r"1 & 50 \% \& more \\" in text
    assert r"\caption{Over 5 $\mu$s}\label{tab:t}" in text
    assert "longtable" in PageTable("t", "c", columns, rows * 46).latex()


def test_a_row_has_a_value_for_each_column() -> None:
    with pytest.raises(AssertionError):
        PageTable("t", "c", (PageColumn("a"),), ((),))


def test_a_picture_must_state_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text('<svg xmlns:xlink="x" width="72pt" height="36pt" viewBox="0 0 72 36"></svg>')
    picture = read_picture(path)
    assert (picture.width, picture.height) == (96, 48)
    assert picture.address.startswith("data:image/svg+xml,")
    path.write_text("<svg></svg>")
    with pytest.raises(GnomonError, match="is not an SVG picture with width and height"):
        read_picture(path)
