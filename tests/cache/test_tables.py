"""CSV and JSON within limits, every refusal with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.tables import MAX_JSON_DEPTH, read_csv_table, read_json

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": [1, 2.5, "]]]", "\\"["], "b": null}')
    assert read_json(path) == {"a": [1, 2.5, "]]]", '"['], "b": None}
    path = tmp_path / "a.csv"
    path.write_text('# a comment\na,b\n1,"two\nlines"\n3,4\n')
    rows = read_csv_table(path)
    assert [row.values for row in rows] == [{"a": "1", "b": "two\nlines"}, {"a": "3", "b": "4"}]
    assert [row.origin.rpartition(":")[2] for row in rows] == ["3", "5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: not JSON"),
        ('{"a":\n 1,}', ":2: not JSON"),
        ('{"a": 1,\n "a": 2}', "'a' is written twice"),
        ("[1,\nNaN]", ":2: NaN: must be a finite number"),
        ("[1,\n1e999]", ":2: 1e999: must be a finite number"),
        (f"[\n{'1' * 5000}]", ":2: 11111111111111111111: must be a finite number"),
        ("[" * (MAX_JSON_DEPTH + 1), ":1: nested deeper than 50 levels"),
        ("[" * 100_000, ":1: nested deeper than 50 levels"),
    ],
)
def test_json_that_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(GnomonError) as caught:
        read_json(path)
    assert message in str(caught.value)


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
    path = tmp_path / "a.json"
    path.write_text("[" + "1," * 100 + "1]")
    with pytest.raises(GnomonError, match=r"203 bytes; at most 100 are read"):
        read_json(path, most_bytes=100)
