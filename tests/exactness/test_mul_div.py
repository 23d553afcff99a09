"""mul_div_results.csv.xz: the eight M instructions on 17 x 17 edge operands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.exactness import _assembler as asm
from tests.exactness._reference import (
    Row,
    assert_clean,
    assert_no_mismatch,
    compare_row,
    elf_of,
    rows_of,
)

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_NAMES = list(asm.MULDIV_FUNCT3)


def _program(pairs: list[tuple[int, int]]) -> bytes:
    """Loop over the operand pairs and print the eight results of each."""
    a = asm.start_single_hart()
    a.li(asm.S0, asm.DATA_BASE)
    a.li(asm.S1, asm.DATA_BASE + 8 * len(pairs))
    a.li(asm.S2, asm.PRINT)
    loop = a.here
    a.lw(asm.A0, 0, asm.S0)
    a.lw(asm.A1, 4, asm.S0)
    for name in _NAMES:
        a.muldiv(name, asm.A2, asm.A0, asm.A1)
        a.sw(asm.A2, 0, asm.S2)
    a.addi(asm.S0, asm.S0, 8)
    a.branch(1, asm.S0, asm.S1, loop)
    asm.exit_with(a)
    data = b"".join(x.to_bytes(4, "little") + y.to_bytes(4, "little") for x, y in pairs)
    return elf_of(a, (asm.DATA_BASE, data))


def test_results(runner: Runner) -> None:
    by_pair: dict[tuple[int, int], dict[str, Row]] = {}
    for row in rows_of("mul_div_results.csv.xz"):
        pair = int(row["rs1_hex"], 16), int(row["rs2_hex"], 16)
        by_pair.setdefault(pair, {})[row["instruction"]] = row
    assert len(by_pair) == 17 * 17

    result = runner(_program(list(by_pair)), trace=False)

    assert_clean(result)
    assert len(result.printed) == 8 * len(by_pair)
    printed = iter(result.printed)
    mismatches = []
    for rows in by_pair.values():
        for name in _NAMES:
            mismatches += compare_row(rows[name], {"rd_hex": f"{next(printed):08x}"})
    assert_no_mismatch(mismatches, len(result.printed))
