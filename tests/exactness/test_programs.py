"""The 14 complete programs: exit cycle, issues, retries, memory checksum, and the full trace."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest

from tests.exactness._reference import Row, hardware, program_elf, program_trace, rows_of

if TYPE_CHECKING:
    from tests.exactness._runner import Runner, RunResult

_ROWS = rows_of("programs/expected.csv")


@pytest.mark.parametrize("row", _ROWS, ids=[row["name"] for row in _ROWS])
def test_program(row: Row, runner: Runner) -> None:
    result = runner(
        program_elf(row["elf"]),
        harts=int(row["thread_pool_size"]),
        spm_count=int(row["spm_num"]),
        spm_size_bytes=1 << int(row["addr_width"]),
        **hardware(row),
    )

    expected_trace = program_trace(row["name"])
    for number, (expected, got) in enumerate(zip_longest(expected_trace, result.trace)):
        before = result.trace[max(0, number - 4) : number]
        assert got == expected, (
            f"{dict(row)}\nissue {number} (cycle, hart, pc, word): "
            f"expected {expected}, got {got}, after {before}"
        )
    seen = {
        "exit_cycle": str(result.exit_cycle),
        "exit_code_hex": f"{result.exit_code:08x}",
        "data_ram_crc32": f"{result.data_ram_crc32:08x}",
    }
    for hart in range(3):
        seen[f"issued_hart{hart}"] = str(result.issued[hart])
        seen[f"vcu_retry_hart{hart}"] = str(result.retries[hart])
        seen[f"retired_hart{hart}"] = str(result.retired[hart])
    assert seen == {column: row[column] for column in seen}
    assert result.halted
    _assert_hart_cycles_add_up(result)


def _assert_hart_cycles_add_up(result: RunResult) -> None:
    """The execute stage is always some hart's, from the first issue (cycle 2) to the exit."""
    held = [0, 0, 0]
    ends = [*(cycle for cycle, *_ in result.trace[1:]), result.exit_cycle + 1]
    for (cycle, hart, _, _), end in zip(result.trace, ends, strict=True):
        held[hart] += end - cycle
    assert list(result.hart_cycles) == held
    assert sum(held) == result.exit_cycle - 1
