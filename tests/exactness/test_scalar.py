"""scalar.csv.xz: what scalar instructions cost, 1 to 3 active harts, superscalar on and off."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from tests.exactness._elf_reader import read_elf
from tests.exactness._reference import (
    IssueIndex,
    Row,
    assert_no_mismatch,
    bench_elf,
    compare_row,
    rows_of,
)

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_BY_RUN: dict[tuple[str, str], list[Row]] = defaultdict(list)
for _row in rows_of("scalar.csv.xz"):
    _BY_RUN[_row["program"], _row["superscalar_exec_en"]].append(_row)


@pytest.mark.parametrize(("program", "superscalar"), _BY_RUN)
def test_scalar_cycles(program: str, superscalar: str, runner: Runner) -> None:
    rows = _BY_RUN[program, superscalar]
    elf = bench_elf(program)
    symbols = read_elf(elf).symbols
    index = IssueIndex(runner(elf, superscalar=superscalar == "1"))

    mismatches = []
    for row in rows:
        hart = int(row["hart"])
        start, end = (symbols[row[column]] for column in ("start_symbol", "end_symbol"))
        total = index.first(end, hart) - index.first(start, hart)
        mismatches += compare_row(row, {"total_cycles": total})
    assert_no_mismatch(mismatches, len(rows))


def test_every_row_is_checked() -> None:
    assert sum(len(rows) for rows in _BY_RUN.values()) == 2180
