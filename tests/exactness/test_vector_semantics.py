"""vector_semantics.csv: 3264 random vector instructions, bit by bit.

The data RAM holds a record per row: settings, then the words around each operand. A subroutine
fills the scratchpads from the record, the row's own vector instruction runs, and a second
subroutine stores the 16 words at rd back and prints them.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

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

_BY_PROGRAM: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
for _row in rows_of("vector_semantics.csv.xz"):
    _BY_PROGRAM[_row["instruction"]][_row["simd"]].append(_row)

_WORDS = 16
_OFFSETS = ("rs1_byte_offset", "rs2_byte_offset", "rd_byte_offset")
_CONTENTS = ("rs1_words_hex", "rs2_words_hex", "rd_words_before_hex")
_SPM = [asm.SPM_BASE + 4096 * index for index in range(3)]
_SETTINGS = 9  # words of a record before the contents
_RECORD_BYTES = 4 * (_SETTINGS + 3 * _WORDS)
_OUT = asm.DATA_BASE + 0x3_0000
_REGISTER_RS2 = {"ksvaddrf", "ksvmulrf", "ksrav", "ksrlv", "ksvslt"}


def _record(row: Row) -> bytes:
    """MVSIZE, MVTYPE, MPSCLFAC; addresses to fill; operands rd, rs1, rs2; then the contents."""
    rs1, rs2, rd = (base + int(row[column]) for base, column in zip(_SPM, _OFFSETS, strict=True))
    scalar = int(row["rs_scalar_hex"] or "0", 16)
    settings = (
        int(row["mvsize_bytes"]),
        {"8": 0, "16": 1, "32": 2}[row["element_bits"]],
        int(row["mpsclfac"]),
        rs1,
        rs2,
        rd,
        rd,
        scalar if row["instruction"] == "kbcast" else rs1,
        scalar if row["instruction"] in _REGISTER_RS2 else rs2,
    )
    words: list[int] = []
    for column in _CONTENTS:  # empty where the instruction has no such vector
        words += [int(word, 16) for word in row[column].split()] or [0] * _WORDS
    return struct.pack(f"<{_SETTINGS + 3 * _WORDS}I", *settings, *words)


def _subroutines(a: asm.Assembler) -> tuple[int, int]:
    """Place the two subroutines; S0 points to the record. Returns their addresses."""
    fill = a.here
    for position, csr in enumerate((asm.MVSIZE, asm.MVTYPE, asm.MPSCLFAC)):
        a.lw(asm.T0, 4 * position, asm.S0)
        a.csrrw(0, csr, asm.T0)
    a.li(asm.T1, 4 * _WORDS)
    for operand in range(3):
        a.lw(asm.T0, 12 + 4 * operand, asm.S0)
        a.addi(asm.T2, asm.S0, 4 * _SETTINGS + 4 * _WORDS * operand)
        a.kmem("kmemld", asm.T0, asm.T2, asm.T1)
    for position, register in enumerate((asm.A0, asm.A1, asm.A2)):
        a.lw(register, 24 + 4 * position, asm.S0)
    a.kmem_nothing()
    a.jalr(0, asm.RA)

    dump = a.here
    a.li(asm.T1, 4 * _WORDS)
    a.li(asm.T2, _OUT)
    a.lw(asm.T0, 20, asm.S0)
    a.kmem("kmemstr", asm.T2, asm.T0, asm.T1)
    a.li(asm.T0, asm.PRINT)
    for word in range(_WORDS):
        a.lw(asm.T3, 4 * word, asm.T2)
        a.sw(asm.T3, 0, asm.T0)
    a.addi(asm.S0, asm.S0, _RECORD_BYTES)
    a.jalr(0, asm.RA)
    return fill, dump


def _program(rows: list[Row]) -> bytes:
    a = asm.start_single_hart()
    skip = a.word(0)
    fill, dump = _subroutines(a)
    asm.patch_jump(a, skip, a.here)
    a.li(asm.S0, asm.DATA_BASE)
    for row in rows:
        a.jal(asm.RA, fill)
        a.kdsp(row["instruction"], asm.A0, asm.A1, asm.A2)
        a.jal(asm.RA, dump)
    asm.exit_with(a)
    return elf_of(a, (asm.DATA_BASE, b"".join(_record(row) for row in rows)))


@pytest.mark.parametrize("name", _BY_PROGRAM)
def test_vector_results(name: str, runner_of_many: Runner) -> None:
    mismatches = []
    for simd, rows in _BY_PROGRAM[name].items():
        result = runner_of_many(_program(rows), simd=int(simd), trace=False)
        assert_clean(result)
        assert len(result.printed) == _WORDS * len(rows)
        for number, row in enumerate(rows):
            words = result.printed[_WORDS * number : _WORDS * (number + 1)]
            seen = " ".join(f"{word:08x}" for word in words)
            mismatches += compare_row(row, {"rd_words_after_hex": seen})
    assert_no_mismatch(mismatches, sum(map(len, _BY_PROGRAM[name].values())))


def test_every_row_is_run() -> None:
    assert sum(len(rows) for by in _BY_PROGRAM.values() for rows in by.values()) == 3264
