"""``vcu_pkg.svh``: encodings and operand roles of the vector instructions, for our RTL.

Times are not in it: the RTL has those of its own structure, so that a comparison with the
simulator says something.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from gnomon.isa._table import INSTRUCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.isa._instruction import Instruction

_TITLE = """\
// Encodings and operand roles of the vector instructions. Generated from the instruction table by
// gnomon.isa.rtl_package; do not edit.
`ifndef VCU_PKG_SVH
`define VCU_PKG_SVH
package vcu_pkg;
"""

_SETS: Final[tuple[tuple[str, str, Callable[[Instruction], bool]], ...]] = (
    ("PUBLIC", "KDSP instructions of the public core", lambda row: row.extension == "kdsp"),
    ("POSTSCALE", "post-scaled products", lambda row: row.extension == "kps"),
    ("DIVIDE", "divisions and remainders", lambda row: row.extension == "kdiv"),
    ("RS1_VECTOR", "rs1 is a vector in a scratchpad", lambda row: row.rs1 == "spm_vector"),
    ("RS2_VECTOR", "rs2 is a vector in a scratchpad", lambda row: row.rs2 == "spm_vector"),
    ("RS2_SPM_SCALAR", "rs2 is one element in a scratchpad", lambda row: row.rs2 == "spm_scalar"),
    ("RS2_REGISTER", "rs2 is an element itself", lambda row: row.rs2 == "register_scalar"),
    ("RD_WORD", "the result is one word", lambda row: row.rd == "spm_word"),
)


@cache
def rtl_package() -> str:
    """Return the text of ``rtl_tests/hdl/vcu_pkg.svh``: a SystemVerilog package."""
    transfers = [row for row in INSTRUCTIONS if row.extension == "kmem"]
    vectors = [row for row in INSTRUCTIONS if row.format == "kdsp"]
    lines = [_TITLE, "  // funct7 of opcode KMEM."]
    lines += [_constant(row) for row in transfers]
    lines += ["", "  // funct7 of opcode KDSP."]
    lines += [_constant(row) for row in vectors]
    lines += ["", "  // Sets of KDSP instructions: bit i stands for funct7 i."]
    for name, what, holds in _SETS:
        bits = sum(1 << (row.match >> 25) for row in vectors if holds(row))
        lines += [f"  localparam logic [127:0] {name} = 128'h{bits:032x};  // {what}"]
    lines += ["endpackage", "`endif", ""]
    return "\n".join(lines)


def _constant(row: Instruction) -> str:
    return f"  localparam logic [6:0] {row.mnemonic.upper()} = 7'd{row.match >> 25};"
