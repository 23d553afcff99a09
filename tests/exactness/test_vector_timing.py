"""vector.csv.xz: busy time of every vector instruction, and when the next instruction issues.

One program measures the rows of one instruction and one lane count. Each row runs three times,
with the accelerator idle at the start (a transfer of 0 bytes waits for it):

    v ; nop ; kmem0     next_scalar_issue_delta, next_kmem_issue_delta
    v ; v               next_vector_issue_delta, next_vector_retries
    v ; kmem0           the transfer issues one cycle after the last busy one: vcu_busy_cycles
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.exactness import _assembler as asm
from tests.exactness._reference import (
    IssueIndex,
    Row,
    assert_clean,
    assert_no_mismatch,
    compare_row,
    elf_of,
    rows_of,
)

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_BY_PROGRAM: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
for _row in rows_of("vector.csv.xz"):
    _BY_PROGRAM[_row["instruction"]][_row["simd"]].append(_row)

_REGISTER_RS2 = {"ksvaddrf", "ksvmulrf", "ksrav", "ksrlv", "ksvslt"}
_SPM = [asm.SPM_BASE + 4096 * index for index in range(4)]
_ASIDE = 1024  # far enough for the longest vector measured there, 32 words
# Addresses of rd, rs1, rs2.
_PLACEMENTS = {
    "distinct": (_SPM[2], _SPM[0], _SPM[1]),
    "rd=rs1": (_SPM[0] + _ASIDE, _SPM[0], _SPM[1]),
    "rd=rs2": (_SPM[1] + _ASIDE, _SPM[0], _SPM[1]),
    "off4": (_SPM[2] + 4, _SPM[0] + 4, _SPM[1] + 4),
    "rd_inplace": (_SPM[0], _SPM[0], _SPM[1]),
}


@dataclass(frozen=True)
class _Measured:
    """Addresses of the measured instructions of one row."""

    row: Row
    vector: int
    scalar: int
    transfer: int
    first_vector: int
    second_vector: int
    lone_vector: int
    lone_transfer: int


def _measure(a: asm.Assembler, row: Row) -> _Measured:
    name = row["instruction"]
    rd, rs1, rs2 = _PLACEMENTS[row["placement"]]
    a.li(asm.T0, int(row["mvsize_bytes"]))
    a.csrrw(0, asm.MVSIZE, asm.T0)
    a.csrrwi(0, asm.MVTYPE, {"8": 0, "16": 1, "32": 2}[row["element_bits"]])
    a.li(asm.A0, rd)
    a.li(asm.A1, 3 if name == "kbcast" else rs1)
    a.li(asm.A2, 3 if name in _REGISTER_RS2 else rs2)

    def vector() -> int:
        return a.kdsp(name, asm.A0, asm.A1, asm.A2)

    a.kmem_nothing()
    v, scalar, transfer = vector(), a.nop(), a.kmem_nothing()
    first, second = vector(), vector()
    a.kmem_nothing()
    lone, lone_transfer = vector(), a.kmem_nothing()
    return _Measured(row, v, scalar, transfer, first, second, lone, lone_transfer)


@pytest.mark.parametrize("name", _BY_PROGRAM)
def test_vector_timing(name: str, runner_of_many: Runner) -> None:
    mismatches = []
    for simd, rows in _BY_PROGRAM[name].items():
        mismatches += _mismatches(runner_of_many, int(simd), rows)
    assert_no_mismatch(mismatches, sum(map(len, _BY_PROGRAM[name].values())))


def _mismatches(runner: Runner, simd: int, rows: list[Row]) -> list[str]:
    a = asm.start_single_hart()
    measured = [_measure(a, row) for row in rows]
    asm.exit_with(a)

    result = runner(elf_of(a), simd=simd)

    assert_clean(result)
    index = IssueIndex(result)
    busy_from = {start: last - start + 1 for _, start, last in result.vcu_intervals}
    mismatches = []
    for m in measured:
        start = index.first(m.vector)
        got = {
            "vcu_busy_cycles": index.first(m.lone_transfer) - index.first(m.lone_vector) - 1,
            "next_scalar_issue_delta": index.first(m.scalar) - start,
            "next_kmem_issue_delta": index.first(m.transfer) - start,
            "next_vector_issue_delta": index.last(m.second_vector) - index.first(m.first_vector),
            "next_vector_retries": index.retries(m.second_vector),
        }
        mismatches += compare_row(m.row, got)
        mismatches += compare_row(m.row, {"vcu_busy_cycles": busy_from.get(start)})
    return mismatches


def test_every_row_is_measured() -> None:
    assert sum(len(rows) for by in _BY_PROGRAM.values() for rows in by.values()) == 5508
