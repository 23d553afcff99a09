"""kmem.csv.xz: scratchpad transfers, their bus requests and the instructions after them.

One program measures the rows of one transfer instruction and one lane count:

    transfer ; follow-up ; kmem0    follow_up_issue_delta, instr_after_follow_up_delta
    transfer ; kmem0                the second issues one cycle after the last busy one

kmem0 is a transfer of 0 bytes, which waits for LSU and VCU and does nothing. The transfer loads
or stores scratchpad 0; the vector instruction after it works on 16 bytes.
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

_BY_PROGRAM: dict[tuple[str, str], list[Row]] = defaultdict(list)
for _row in rows_of("kmem.csv.xz"):
    _BY_PROGRAM[_row["instruction"], _row["simd"]].append(_row)

_MEMORY = asm.DATA_BASE + 0x1000
_SCALAR_MEMORY = asm.DATA_BASE
_VECTOR_BYTES = 16
_SPM = [asm.SPM_BASE + 4096 * index for index in range(4)]
# Addresses of rd, rs1, rs2 of the vector instruction after a transfer on scratchpad 0.
_KADDV = {
    "kaddv_rd_other_spm_only": (_SPM[3], _SPM[1], _SPM[2]),
    "kaddv_reads_loaded_spm": (_SPM[2], _SPM[0], _SPM[1]),
    "kaddv_writes_loaded_spm": (_SPM[0], _SPM[1], _SPM[2]),
}


@dataclass(frozen=True)
class _Measured:
    row: Row
    transfer: int
    follow_up: int
    after: int
    lone_transfer: int
    lone_after: int


def _transfer(a: asm.Assembler, row: Row) -> int:
    """Place the transfer; its operands are in A0 (scratchpad), A1 (memory), A2 (bytes)."""
    name = row["instruction"]
    rd, rs1 = (asm.A1, asm.A0) if name == "kmemstr" else (asm.A0, asm.A1)
    return a.kmem(name, rd, rs1, asm.A2)


def _operands(a: asm.Assembler, row: Row) -> None:
    a.li(asm.A0, _SPM[0] + int(row["spm_offset"]))
    a.li(asm.A1, _MEMORY)
    a.li(asm.A2, int(row["bytes"]))


def _follow_up(a: asm.Assembler, name: str) -> int:
    match name:
        case "nop":
            return a.nop()
        case "lw":
            return a.lw(asm.T1, 0, asm.S0)
        case "sw":
            return a.sw(0, 0, asm.S0)
        case "kmem0":
            return a.kmem_nothing()
        case "csrr":
            return a.csrr(asm.T1, asm.MHARTID)
        case "mulh":
            return a.muldiv("mulh", asm.T1, asm.T1, asm.T1)
        case "amoswap":
            return a.amoswap(asm.T1, 0, asm.S0)
    return a.kdsp("kaddv", asm.S2, asm.S3, asm.S4)


def _measure(a: asm.Assembler, row: Row) -> _Measured:
    _operands(a, row)
    for register, address in zip(
        (asm.S2, asm.S3, asm.S4), _KADDV.get(row["follow_up"], ()), strict=False
    ):
        a.li(register, address)
    a.kmem_nothing()
    transfer, follow_up, after = (
        _transfer(a, row),
        _follow_up(a, row["follow_up"]),
        a.kmem_nothing(),
    )
    lone, lone_after = _transfer(a, row), a.kmem_nothing()
    return _Measured(row, transfer, follow_up, after, lone, lone_after)


@pytest.mark.parametrize(("name", "simd"), _BY_PROGRAM)
def test_transfer_timing(name: str, simd: str, runner: Runner) -> None:
    rows = _BY_PROGRAM[name, simd]
    a = asm.start_single_hart()
    a.li(asm.S0, _SCALAR_MEMORY)
    a.lw(asm.T1, 0, asm.S0)  # amoswap takes its byte enables from the last load or store
    a.li(asm.T0, _VECTOR_BYTES)
    a.csrrw(0, asm.MVSIZE, asm.T0)
    measured = [_measure(a, row) for row in rows]
    asm.exit_with(a)

    result = runner(elf_of(a), simd=int(simd))

    assert_clean(result)
    index = IssueIndex(result)
    vcu_busy = {start: last - start + 1 for _, start, last in result.vcu_intervals}
    lsu_busy = {start: last - start + 1 for _, start, last in result.lsu_intervals}
    mismatches = []
    for m in measured:
        start, behind = index.first(m.transfer), index.first(m.follow_up)
        is_vector = m.row["follow_up"] in _KADDV
        got = {
            "lsu_busy_cycles": index.first(m.lone_after) - index.first(m.lone_transfer) - 1,
            "follow_up_issue_delta": behind - start,
            "instr_after_follow_up_delta": index.first(m.after) - behind,
            "follow_up_vcu_busy_cycles": vcu_busy.get(behind) if is_vector else "",
        }
        mismatches += compare_row(m.row, got)
        mismatches += compare_row(m.row, {"lsu_busy_cycles": lsu_busy.get(start)})
    assert_no_mismatch(mismatches, len(rows))


@pytest.mark.parametrize(("name", "simd"), _BY_PROGRAM)
def test_bus_requests(name: str, simd: str, runner_of_many: Runner) -> None:
    """Each program does one transfer."""
    distinct = {(row["bytes"], row["spm_offset"]): row for row in _BY_PROGRAM[name, simd]}

    mismatches = []
    for row in distinct.values():
        a = asm.start_single_hart()
        _operands(a, row)
        _transfer(a, row)
        asm.exit_with(a)
        result = runner_of_many(elf_of(a), simd=int(simd))
        assert_clean(result)
        mismatches += compare_row(row, {"data_bus_requests": result.transfer_bus_requests})
    assert_no_mismatch(mismatches, len(distinct))


def test_every_row_is_measured() -> None:
    rows = [row for rows in _BY_PROGRAM.values() for row in rows]

    assert len(rows) == 1164
    for (name, simd), group in _BY_PROGRAM.items():
        requests = defaultdict(set)
        for row in group:
            requests[row["bytes"], row["spm_offset"]].add(row["data_bus_requests"])
        assert all(len(values) == 1 for values in requests.values()), (name, simd)
