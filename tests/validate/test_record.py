"""Recorded results: what is written is read again, and what cannot be used is named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.rtl.validate import Record, format_records, read_records

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "quantity,truth,compared,mismatches,worst,command,seed,tool\n"
RECORDS = (
    Record("cycles", "cocotb", 12, 0, None, "gnomon validate x", "3", "icarus 11.0"),
    Record("values", "rtl", 5, 1, '0x1, not "2"', "gnomon validate y", "", "ghdl 2.0"),
)


def test_written_records_are_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(format_records(RECORDS, "two\nlines"))
    read = read_records(tmp_path)
    assert [replace(record, origin="") for record in read] == list(RECORDS)
    assert [record.origin.rpartition("/")[2] for record in read] == ["a.csv:4", "a.csv:5"]


def test_files_come_by_name(tmp_path: Path) -> None:
    for name, record in zip(("b.csv", "a.csv"), RECORDS, strict=True):
        (tmp_path / name).write_bytes(format_records([record], "one"))
    assert [record.quantity for record in read_records(tmp_path)] == ["values", "cycles"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "r.csv:2: the columns must be quantity, truth, "),
        (HEADER + "q,cocotbb,1,0,,c,1,t\n", "r.csv:2: truth must not be 'cocotbb' (allowed: "),
        (HEADER + "q,law,-1,0,,c,1,t\n", "r.csv:2: compared must be a whole number, not '-1'"),
        (HEADER + "q,law,1,x,,c,1,t\n", "r.csv:2: mismatches must be a whole number, not 'x'"),
        (HEADER + "q,law,1,0,,,1,t\n", "r.csv:2: command is empty"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(GnomonError) as caught:
        read_records(tmp_path)
    assert message in str(caught.value)


def test_no_records_is_said(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match=r"no recorded results \(\*\.csv\) here$"):
        read_records(tmp_path / "absent")
