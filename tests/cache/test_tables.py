"""CSV within limits, every refusal with its line."""

from __future__ import annotations

import lzma
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.tables import read_csv_table

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('# a comment\na,b\n1,"two\nlines"\n3,4\n')
    rows = read_csv_table(path)
    assert [row.values for row in rows] == [{"a": "1", "b": "two\nlines"}, {"a": "3", "b": "4"}]
    assert [row.origin.rpartition(":")[2] for row in rows] == ["3", "5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1\n", ":2: must have 2 fields, not 1"),
        (f"a,b\n1,{'x' * 100_001}\n", ":2: at most 10,000 fields of 100,000 characters"),
        ("a," * 10_001, ":1: at most 10,000 fields"),
    ],
)
def test_csv_that_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(GnomonError) as caught:
        read_csv_table(path)
    assert message in str(caught.value)


def test_a_file_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n" + "1\n" * 100)
    with pytest.raises(GnomonError, match=r"202 bytes; at most 100 are read"):
        read_csv_table(path, most_bytes=100)


def test_a_packed_table_is_read_within_the_same_limits(tmp_path: Path) -> None:
    text = b"a,b\n" + b"1,2\n" * 100
    path = tmp_path / "a.csv.xz"
    path.write_bytes(lzma.compress(text))
    rows = read_csv_table(path)
    assert len(rows) == 100
    assert rows[0].values == {"a": "1", "b": "2"}
    assert rows[-1].origin.endswith("a.csv.xz:101")
    assert path.stat().st_size < 200 < len(text)
    with pytest.raises(GnomonError, match="decompressed it is longer than"):
        read_csv_table(path, most_bytes=200)
    path.write_bytes(lzma.compress(text)[:-9])
    with pytest.raises(GnomonError, match="damaged xz data"):
        read_csv_table(path)
