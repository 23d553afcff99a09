"""Result words: random vector instructions, and the M instructions on edge operands."""

from __future__ import annotations

import struct
from collections import defaultdict
from typing import TYPE_CHECKING

from gnomon.rtl.validate._measured import CORE, measured_rows
from gnomon.rtl.validate._measuring import (
    DATA,
    PRINT,
    SCRATCHPADS,
    SPM_BYTES,
    VECTOR_TYPE,
    Measuring,
    rs2_is_register,
)
from gnomon.rtl.validate._record import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

_WORDS = 16
_SETTINGS = 9  # words of a record before the contents
_RECORD_BYTES = 4 * (_SETTINGS + 3 * _WORDS)
_OUT = DATA + 0x3_0000
_OPERANDS = ("rs1", "rs2", "rd")
_CONTENTS = ("rs1_words_hex", "rs2_words_hex", "rd_words_before_hex")
_M = ("mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu")


def vector_words() -> Tally:
    """The 16 words at rd after each of the random vector instructions.

    Data memory holds a record per row. A subroutine fills the scratchpads from it, the row's
    instruction runs, a second one stores the words at rd and prints them.
    """
    tally = Tally()
    groups: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for row in measured_rows(CORE, "vector_semantics.csv.xz"):
        groups[row["instruction"], row["simd"]].append(row)
    for (name, simd), rows in groups.items():
        program = Measuring()
        program.text(f"li s0, {DATA}")
        skip = program.text(_SUBROUTINES)
        fill, dump = skip + 4, skip + 4 * _FILL_WORDS
        for row in rows:
            program.text(f"jal ra, {fill}")
            program.vector(row["instruction"])
            program.text(f"jal ra, {dump}")
        data = b"".join(_record(row) for row in rows)
        printed = program.run(trace=False, data=data, vcu__simd=simd).printed
        for number, row in enumerate(rows):
            words = printed[_WORDS * number : _WORDS * (number + 1)]
            seen = " ".join(f"{word:08x}" for word in words)
            where = f"{name}, SIMD {simd}, {row['element_bits']} bits, {row['mvsize_bytes']} bytes"
            tally.row(where, row, {"rd_words_after_hex": seen})
    return tally


def _record(row: Mapping[str, str]) -> bytes:
    """MVSIZE, MVTYPE, MPSCLFAC; addresses to fill; operands rd, rs1, rs2; then the contents."""
    rs1, rs2, rd = (
        SCRATCHPADS + SPM_BYTES * number + int(row[f"{operand}_byte_offset"])
        for number, operand in enumerate(_OPERANDS)
    )
    name, scalar = row["instruction"], int(row["rs_scalar_hex"] or "0", 16)
    settings = (
        int(row["mvsize_bytes"]),
        VECTOR_TYPE[row["element_bits"]],
        int(row["mpsclfac"]),
        *(rs1, rs2, rd),
        rd,
        scalar if name == "kbcast" else rs1,
        scalar if rs2_is_register(name) else rs2,
    )
    words: list[int] = []
    for column in _CONTENTS:  # empty where the instruction has no such vector
        words += [int(word, 16) for word in row[column].split()] or [0] * _WORDS
    return struct.pack(f"<{_SETTINGS + 3 * _WORDS}I", *settings, *words)


def _fill() -> list[str]:
    lines = []
    for position, csr in enumerate(("mvsize", "mvtype", "mpsclfac")):
        lines += [f"lw t0, {4 * position}(s0)", f"csrw {csr}, t0"]
    lines.append(f"li t1, {4 * _WORDS}")
    for operand in range(3):
        lines.append(f"lw t0, {12 + 4 * operand}(s0)")
        lines.append(f"addi t2, s0, {4 * _SETTINGS + 4 * _WORDS * operand}")
        lines.append("kmemld t0, t2, t1")
    lines += [f"lw a{position}, {24 + 4 * position}(s0)" for position in range(3)]
    return [*lines, "kmemld x0, x0, x0", "jalr x0, 0(ra)"]


def _dump() -> list[str]:
    return [
        f"li t1, {4 * _WORDS}",
        f"li t2, {_OUT}",
        "lw t0, 20(s0)",
        "kmemstr t2, t0, t1",
        f"li t0, {PRINT}",
        *(line for word in range(_WORDS) for line in (f"lw t3, {4 * word}(t2)", "sw t3, 0(t0)")),
        f"addi s0, s0, {_RECORD_BYTES}",
        "jalr x0, 0(ra)",
    ]


_FILL_WORDS = 1 + len(_fill())  # the jump over both, then one word a line
_SUBROUTINES = "\n".join(["j past", *_fill(), *_dump(), "past:"])


def multiply_and_divide() -> Tally:
    """The eight M instructions on every pair of the edge operands."""
    tally = Tally()
    by_pair: dict[tuple[int, int], dict[str, Mapping[str, str]]] = defaultdict(dict)
    for row in measured_rows(CORE, "mul_div_results.csv.xz"):
        by_pair[int(row["rs1_hex"], 16), int(row["rs2_hex"], 16)][row["instruction"]] = row
    program = Measuring()
    each = "\n".join(f"{name} a2, a0, a1\nsw a2, 0(s2)" for name in _M)
    program.text(f"""
        li s0, {DATA}
        li s1, {DATA + 8 * len(by_pair)}
        li s2, {PRINT}
    again:
        lw a0, 0(s0)
        lw a1, 4(s0)
        {each}
        addi s0, s0, 8
        bne s0, s1, again
    """)
    data = b"".join(struct.pack("<2I", *pair) for pair in by_pair)
    printed = iter(program.run(trace=False, data=data).printed)
    for (one, two), rows in by_pair.items():
        for name in _M:
            got = {"rd_hex": f"{next(printed):08x}"}
            tally.row(f"{name} of {one:#x} and {two:#x}", rows[name], got)
    return tally
