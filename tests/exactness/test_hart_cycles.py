"""hart_cycles.csv: what each hart's mcycle and minstret advance by with count_all off."""

from __future__ import annotations

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

_ROWS = rows_of("hart_cycles.csv")


@pytest.mark.parametrize("row", _ROWS, ids=range(len(_ROWS)))
def test_hart_cycles(row: Row, runner: Runner) -> None:
    elf = bench_elf(row["program"])
    symbols = read_elf(elf).symbols
    result = runner(elf, count_all=row["count_all"] == "1", **hardware(row))
    index = IssueIndex(result)

    harts = range(int(row["active_harts"]))
    assert len(result.printed) == 2 * len(harts)
    got = {}
    for hart in harts:
        suffix = f"_{hart}" if row["symbols"].endswith("_N") else ""
        c0, c1 = (index.first(symbols[name + suffix], hart) for name in ("c0", "c1"))
        got[f"hart{hart}_mcycle_delta"] = result.printed[2 * hart]
        got[f"hart{hart}_minstret_delta"] = result.printed[2 * hart + 1]
        got[f"hart{hart}_elapsed_cycles"] = c1 - c0
    assert_no_mismatch(compare_row(row, got), 1)
