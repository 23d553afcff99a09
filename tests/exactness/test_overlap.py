"""overlap.csv.xz: overlap and contention with three harts."""

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
    hardware,
    rows_of,
)

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_BY_SCENARIO: dict[str, list[Row]] = defaultdict(list)
for _row in rows_of("overlap.csv.xz"):
    _BY_SCENARIO[_row["scenario"]].append(_row)


@pytest.mark.parametrize("scenario", _BY_SCENARIO)
def test_overlap_cycles(scenario: str, runner_of_many: Runner) -> None:
    rows = _BY_SCENARIO[scenario]

    mismatches = []
    for row in rows:
        elf = bench_elf(row["program"])
        symbols = read_elf(elf).symbols
        index = IssueIndex(runner_of_many(elf, **hardware(row)))
        starts = [index.first(symbols[f"h{hart}"], hart) for hart in range(3)]
        ends = [index.first(symbols[f"e{hart}"], hart) for hart in range(3)]
        got = {f"hart{hart}_cycles": ends[hart] - starts[hart] for hart in range(3)}
        got["span_cycles"] = max(ends) - min(starts)
        mismatches += compare_row(row, got)
    assert_no_mismatch(mismatches, len(rows))


def test_every_row_is_run() -> None:
    assert sum(len(rows) for rows in _BY_SCENARIO.values()) == 245
