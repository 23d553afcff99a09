"""Words of known instructions, and every way an operand can be wrong."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.isa import encode

# Written out by hand from the formats of the ISA manual and .insn r of the vector instructions.
KNOWN = [
    ("addi", {"rd": 1, "rs1": 2, "imm": -1}, 0xFFF10093),
    ("lui", {"rd": 5, "imm": 0x12345000}, 0x123452B7),
    ("lui", {"rd": 5, "imm": -4096}, 0xFFFFF2B7),
    ("jal", {"rd": 1, "imm": -4}, 0xFFDFF0EF),
    ("beq", {"rs1": 1, "rs2": 2, "imm": -8}, 0xFE208CE3),
    ("sw", {"rs1": 2, "rs2": 8, "imm": -4}, 0xFE812E23),
    ("srai", {"rd": 1, "rs1": 1, "imm": 31}, 0x41F0D093),
    ("fence", {"imm": 0xFF}, 0x0FF0000F),
    ("csrrw", {"rs1": 10, "csr": 0xBF0}, 0xBF051073),
    ("csrrwi", {"imm": 2, "csr": 0xBF8}, 0xBF815073),
    ("amoswap.w", {"rd": 5, "rs1": 6, "rs2": 7}, 0x087322AF),
    ("mret", {}, 0x30200073),
    ("wfi", {}, 0x10500073),
    ("kaddv", {"rd": 5, "rs1": 6, "rs2": 7}, 0x027322AB),
    ("kmemstr", {"rd": 5, "rs1": 6, "rs2": 7}, 0x0273028B),
]


@pytest.mark.parametrize(("mnemonic", "operands", "word"), KNOWN)
def test_known_words(mnemonic: str, operands: dict[str, int], word: int) -> None:
    assert encode(mnemonic, **operands) == word


@pytest.mark.parametrize(
    ("mnemonic", "operands", "message"),
    [
        ("kadv", {}, "no instruction is called 'kadv', did you mean 'kaddv'?"),
        ("add", {"rd": 32}, "add: rd must be a register 0 to 31, not 32"),
        ("add", {"imm": 1}, "add has no operand imm, got 1"),
        ("lui", {"rs1": 1}, "lui has no operand rs1, got 1"),
        ("addi", {"csr": 1}, "addi has no operand csr, got 1"),
        ("addi", {"imm": 2048}, "addi: imm must be -2048 to 2047, not 2048"),
        ("beq", {"imm": 3}, "beq: imm must be -4096 to 4094 and a multiple of 2, not 3"),
        (
            "jal",
            {"imm": 1 << 20},
            "jal: imm must be -1048576 to 1048574 and a multiple of 2, not 1048576",
        ),
        (
            "lui",
            {"imm": 1},
            "lui: imm must be -2147483648 to 2147479552 and a multiple of 4096, not 1",
        ),
        ("slli", {"imm": 32}, "slli: imm must be 0 to 31, not 32"),
        ("csrrw", {"csr": 0x1000}, "csrrw: csr must be 0 to 0xfff, not 0x1000"),
        ("kaddv", {"rs2": -1}, "kaddv: rs2 must be a register 0 to 31, not -1"),
    ],
)
def test_operands_that_do_not_fit(mnemonic: str, operands: dict[str, Any], message: str) -> None:
    with pytest.raises(GnomonError) as error:
        encode(mnemonic, **operands)
    assert str(error.value) == message
