"""exceptions.csv: the trap cause of every illegal case, and that legal ones execute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.exactness._elf_reader import read_elf
from tests.exactness._reference import (
    IssueIndex,
    assert_no_mismatch,
    bench_elf,
    compare_row,
    rows_of,
)

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_MISALIGNED = {4, 6}


def test_exceptions(runner: Runner) -> None:
    """The program prints mcause, mepc and mbadaddr per case, 0 where nothing trapped."""
    rows = rows_of("exceptions.csv")
    elf = bench_elf("exceptions.elf")
    symbols = read_elf(elf).symbols
    result = runner(elf, simd=2)
    index = IssueIndex(result)

    assert len(rows) == 41
    assert len(result.printed) == 3 * len(rows)
    mismatches = []
    misaligned_seen = False
    for number, row in enumerate(rows):
        mcause, mepc, mbadaddr = result.printed[3 * number : 3 * number + 3]
        address = symbols[row["address_symbol"]]
        place = "instruction address" if mepc == address else f"{mepc:#010x}"
        trapped = mcause != 0
        mismatches += compare_row(
            row,
            {
                "mcause_hex": f"{mcause:08x}" if trapped else "none",
                "mepc": place if trapped or mepc else "",
                "times_issued": index.count(address),
            },
        )
        # Undefined up to the first misaligned case; 0 from there on, also where nothing trapped.
        misaligned_seen |= mcause in _MISALIGNED
        if (misaligned_seen or not trapped) and mbadaddr != 0:
            mismatches.append(f"row {dict(row)}\n  got mbadaddr {mbadaddr:#x}, expected 0")
    assert_no_mismatch(mismatches, len(rows))
